"""Names of parts as files can say them: each once, whatever characters they have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NO_ID = re.compile(r"[^A-Za-z0-9_.-]+")
NO_LAYER = re.compile(r'[\x00-\x1f\x7f<>/\\":;?*|=`,\ud800-\udfff]+')
LONGEST = 200  # letters of a layer's name, fewer than the 255 that a DXF may have


def text_of(name: str) -> str:
    """A name without what XML cannot say."""
    return NO_XML.sub("\ufffd", name)


def ids(names: Iterable[str]) -> list[str]:
    """An id of XML for each: letters, digits, dots and dashes.

    >>> ids(["lid", "lid", "2 × 4"])
    ['lid', 'lid-2', 'p2_4']
    """
    bare = [NO_ID.sub("_", name).strip("_") or "part" for name in names]
    return _once([name if name[0].isalpha() else f"p{name}" for name in bare])


def layer_names(names: Iterable[str]) -> list[str]:
    """A layer of a DXF for each, which is told apart without regard to case.

    >>> layer_names(["Lid", "lid", "a/b"])
    ['Lid', 'lid-2', 'a_b']
    """
    return _once([NO_LAYER.sub("_", name).strip()[:LONGEST] or "part" for name in names])


def _once(names: list[str]) -> list[str]:
    taken: set[str] = set()
    used: Counter[str] = Counter()
    made: list[str] = []
    for name in names:
        one, key = name, name.lower()
        while one.lower() in taken:
            used[key] += 1
            one = f"{name}-{used[key] + 1}"
        taken.add(one.lower())
        made.append(one)
    return made
