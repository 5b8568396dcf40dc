"""Wrap the prose of the Markdown pages at 100 characters, so that a change of a sentence is a diff of a line.

`.venv/bin/python docs/wrap.py` does it; `tests/unit/test_docs.py` fails where it was left out. Only
paragraphs with a longer line are filled anew. Tables, headings, code, formulas and HTML stay as they are.
"""

import re
from collections.abc import Iterator
from pathlib import Path

WIDTH = 100
FENCE = re.compile(r"^\s*(```+|~~~+|:::+)(\{figure\})?")
MARKER = re.compile(r"^(\s*)((?:[-*+]|\d+[.)]|:|>)\s+)")
# A word that would begin something else than prose, were it first on a line.
OPENS = re.compile(r"^([-*+>|#=:]|\d+[.)]$|```|~~~|<\w|\[\^?[^\]]*\]:)")
# What stays whole: code, formulas, the address of a link, HTML.
WHOLE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|\$[^$ ](?:[^$]*[^$ ])?\$|\]\([^)]*\)|</?[a-zA-Z!][^>]*>")
NOT_PROSE = re.compile(r"^\s*($|[|#<]|\$\$|\[[^\]]+\]:\s|-{3,}$|={3,}$|\*{3,}$|\([\w-]+\)=$|:\w+:)")


def pages(root: Path) -> list[Path]:
    """Every Markdown page that is written by hand."""
    docs = (page for page in (root / "docs").rglob("*.md") if "_build" not in page.parts)
    return sorted([*root.glob("*.md"), *docs])


def wrapped(text: str) -> str:
    """A page, its prose wrapped."""
    blocks = _blocks(text.split("\n"))
    return "\n".join(line for prose, lines in blocks for line in (_filled(lines) if prose else lines))


def _blocks(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Paragraphs, and all else, in pieces. The caption of a figure is prose, other fences are not."""
    at, count = 0, len(lines)
    while at < count:
        end, fence = at + 1, FENCE.match(lines[at])
        if fence or lines[at].strip() == "$$":
            while end < count and lines[end].strip() != (fence.group(1) if fence else "$$"):
                end += 1
            figure = fence is not None and fence.group(2) is not None
            yield False, lines[at : at + 1]
            yield from _blocks(lines[at + 1 : end]) if figure else [(False, lines[at + 1 : end])]
            yield False, lines[end : end + 1]
            end += 1
        elif NOT_PROSE.match(lines[at]):
            yield False, lines[at:end]
        else:
            while end < count and _goes_on(lines[end - 1], lines[end]):
                end += 1
            yield True, lines[at:end]
        at = end


def _goes_on(before: str, line: str) -> bool:
    """Whether a line belongs to the paragraph of the one before it."""
    begins = MARKER.match(line) or FENCE.match(line) or NOT_PROSE.match(line)
    return not (begins or before.endswith(("  ", "\\")))


def _filled(lines: list[str]) -> list[str]:
    if max(map(len, lines)) <= WIDTH:
        return lines
    marker = MARKER.match(lines[0])
    first = marker.group(0) if marker else lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    quote = marker is not None and marker.group(2).startswith(">")
    rest = first if quote else " " * len(first)
    if marker and not quote and len(lines) > 1 and lines[1].startswith(" "):
        rest = lines[1][: len(lines[1]) - len(lines[1].lstrip())]
    body = [lines[0][len(first) :], *(line.lstrip("> ") if quote else line for line in lines[1:])]
    filled, line = [], first
    for word in _words(" ".join(part.strip() for part in body)):
        if line not in (first, rest) and len(line) + 1 + len(word) > WIDTH:
            filled.append(line)
            line = rest
        line += word if line in (first, rest) else f" {word}"
    return [*filled, line]


def _words(text: str) -> list[str]:
    """Words, with whole pieces kept so; one that would open a list stays with the word before it."""
    kept: list[str] = []
    held = WHOLE.sub(lambda match: match.group().replace(" ", "\0"), text)
    for word in held.split():
        if kept and OPENS.match(word):
            kept[-1] += f" {word}"
        else:
            kept.append(word)
    return [word.replace("\0", " ") for word in kept]


def main() -> None:
    """Wrap every page."""
    for page in pages(Path(__file__).parents[1]):
        text = page.read_text(encoding="utf-8")
        if (after := wrapped(text)) != text:
            page.write_text(after, encoding="utf-8")
            print(page)


if __name__ == "__main__":
    main()
