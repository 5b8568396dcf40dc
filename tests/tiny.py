"""A package named pliant of a few lines: loops in modules that import each other, to be edited and run."""

import shutil
from pathlib import Path

from tests.processes import SOURCE, said

SIZES = """from typing import NamedTuple
FACTOR = 2.0
class Pair(NamedTuple):
    first: float
    second: float
"""
DEEP = """from pliant.core.kernel import inner
from pliant.tiny.sizes import FACTOR
@inner
def scaled(x):
    return FACTOR * x
"""
LOOP = """from pliant.core.kernel import kernel
from pliant.tiny.deep import scaled
@kernel
def total(pair, n):
    x = 0.0
    for k in range(n):
        x += scaled(pair.first) - pair.second
    return x
"""
ASIDE = "NOTHING = 1\n"

RUN = """
from numba.core.event import install_recorder
from pliant.tiny.loop import total
from pliant.tiny.sizes import Pair
with install_recorder("numba:compile") as seen:
    print(total(Pair(first=5.0, second=1.0), 10), "compiled" if seen.buffer else "loaded")
"""


class Tiny:
    """The package, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        skipped = shutil.ignore_patterns("*pytest*")
        shutil.copytree(SOURCE / "pliant" / "core", folder / "pliant" / "core", ignore=skipped)
        (folder / "pliant" / "tiny").mkdir()
        for name in ("__init__", "tiny/__init__"):
            (folder / "pliant" / f"{name}.py").touch()
        for name, text in (("sizes", SIZES), ("deep", DEEP), ("loop", LOOP), ("aside", ASIDE)):
            self.write(name, text)

    def copied(self, folder: Path) -> "Tiny":
        """The same, with what is compiled, in another folder."""
        made = Tiny(folder)
        shutil.copytree(self.cache, made.cache)
        return made

    def write(self, module: str, text: str) -> None:
        """Change the text of a module; what Python kept of it knows a file by its size and its second."""
        folder = self.folder / "pliant" / "tiny"
        (folder / f"{module}.py").write_text(text)
        shutil.rmtree(folder / "__pycache__", ignore_errors=True)

    def run(self, code: str = RUN, **variables: str | None) -> str:
        """What it prints in a process of its own."""
        return self.said(code, **variables)[0].strip()

    def said(self, code: str = RUN, **variables: str | None) -> tuple[str, str]:
        """What it prints, and what it complains of."""
        return said(code, self.cache, **{"PYTHONPATH": str(self.folder), **variables})

    @property
    def kept(self) -> list[Path]:
        """The files of compiled code."""
        return sorted(self.cache.rglob("*.code"))
