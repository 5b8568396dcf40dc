// Code that can be taken along: a button on every block, and a click on a line of code in a text.
const COPIED = 1200; // ms that it says so

async function copy(text, node) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // a page from disk may not: what is selected can be copied by hand
    getSelection().selectAllChildren(node);
    return;
  }
  node.classList.add("copied");
  setTimeout(() => node.classList.remove("copied"), COPIED);
}

for (const block of document.querySelectorAll("div.highlight")) {
  const button = document.createElement("button"), code = block.querySelector("pre");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => copy(code.textContent.replace(/\n$/, ""), button));
  block.append(button);
}
for (const code of document.querySelectorAll("article code.literal")) {
  if (code.closest("a, pre, dt, h1, h2, h3")) continue;
  code.title = "Click to copy";
  code.addEventListener("click", () => { if (!getSelection().toString()) copy(code.textContent, code); });
}
