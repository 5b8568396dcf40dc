// Sliders above a player. A question is asked when the hand rests, and the next one not before the last is answered.

const REST = 150; // ms

function shown(value, step) {
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step)) + (step < 1 ? 1 : 0)));
  return String(Number(value.toFixed(digits)));
}

function render({ model, el: host }) {
  const values = { ...model.get("asked").values };
  const rows = document.createElement("div"), words = document.createElement("pre"), stage = document.createElement("div");
  rows.className = "pliant-sliders";
  words.className = "pliant-error";
  words.setAttribute("role", "alert");
  let timer = 0, player = null;

  const answered = () => model.get("answer").turn === model.get("asked").turn;
  function ask() {
    clearTimeout(timer);
    if (!answered()) return; // asked again once it is
    const turn = model.get("asked").turn + 1;
    model.set("asked", { turn, values: { ...values } });
    model.save_changes();
    rows.classList.add("busy");
  }
  for (const { name, low, high, step, start } of model.get("sliders")) {
    const label = document.createElement("label"), bar = document.createElement("input"), told = document.createElement("output");
    Object.assign(bar, { type: "range", min: low, max: high, step });
    bar.value = values[name] ?? start;
    told.textContent = shown(Number(bar.value), step);
    bar.addEventListener("input", () => {
      values[name] = Number(bar.value);
      told.textContent = shown(values[name], step);
      clearTimeout(timer);
      timer = setTimeout(ask, REST);
    });
    label.append(name, bar, told);
    rows.append(label);
  }
  function show() {
    const { error, player: data } = model.get("answer");
    rows.classList.remove("busy");
    words.textContent = error;
    words.hidden = !error;
    stage.classList.toggle("stale", Boolean(error));
    if (data) player ? player.show(data) : (player = mount(stage, data));
    const last = model.get("asked").values;
    if (Object.keys(values).some((name) => values[name] !== last[name])) timer = setTimeout(ask, 0);
  }
  host.append(rows, words, stage);
  model.on("change:answer", show);
  show();
  return () => { clearTimeout(timer); model.off("change:answer", show); player?.destroy(); };
}

export default { render };
