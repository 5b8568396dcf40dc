"""Run the tests as they would run on other processors, one setting after the other.

    python tests/elsewhere.py                       every setting
    python tests/elsewhere.py generic,nehalem       these alone
    python tests/elsewhere.py generic -- -k linkage  the rest goes to pytest

Rounding differs from processor to processor: by which instructions a loop is compiled to, which
of its kernels a library picks, how many threads share a sum. A test that holds under one of
these and not under another states what does not hold.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from llvmlite import binding

ROOT = Path(__file__).parents[1]
CACHES = ROOT / "out" / "elsewhere"
SIMD = np.show_config(mode="dicts")["SIMD Extensions"]
DISPATCHED = [*SIMD.get("found", ()), *SIMD.get("not found", ())]  # what this numpy can do beyond its least
WIDE = [name for name in DISPATCHED if name.startswith("AVX512") or name == "X86_V4"]

# Numba compiles for a processor by its name, and without features beyond those that the name stands for.
SETTINGS: dict[str, dict[str, str]] = {
    "generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "znver3": {"NUMBA_CPU_NAME": "znver3", "NUMBA_CPU_FEATURES": ""},
    "skylake": {"NUMBA_CPU_NAME": "skylake-avx512", "NUMBA_CPU_FEATURES": ""},
    "haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "zen": {"OPENBLAS_CORETYPE": "Zen"},
    "nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "narrow": {"NPY_DISABLE_CPU_FEATURES": " ".join(WIDE)},
    "least": {"NPY_DISABLE_CPU_FEATURES": " ".join(DISPATCHED)},
    "threads": {"OPENBLAS_NUM_THREADS": "4"},  # tests have one each, see conftest.py
}
NEEDS = {"znver3": "avx2", "skylake": "avx512f", "haswell": "avx2", "zen": "avx2"}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def runs_here(name: str) -> bool:
    """Whether this processor has the instructions that a setting uses."""
    needed = NEEDS.get(name)
    return needed is None or binding.get_host_cpu_features().get(needed, False)


def passes(name: str, arguments: list[str]) -> bool:
    """Whether the loops compile and the tests pass under a setting."""
    say(f"as on {name}: {' '.join(f'{key}={value}' for key, value in SETTINGS[name].items())}")
    there = {**os.environ, **SETTINGS[name], "NUMBA_CACHE_DIR": str(CACHES / name)}
    warm = [sys.executable, "-c", "from pliant.cli import main; main()", "warm", "--quiet"]
    compiled = subprocess.run(warm, cwd=ROOT, env=there, check=False)
    tested = subprocess.run([sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env=there, check=False)
    return compiled.returncode == tested.returncode == 0


def chosen(names: list[str]) -> list[str]:
    """The settings that are named, apart by commas or spaces; all where none is."""
    wanted = [name for text in names for name in text.split(",") if name] or list(SETTINGS)
    unknown = [name for name in wanted if name not in SETTINGS]
    if unknown:
        sys.exit(f"There is no setting {', '.join(unknown)}. There are: {', '.join(SETTINGS)}.")
    for name in wanted:
        if not runs_here(name):
            say(f"left out: {name}, as this processor has no {NEEDS[name]}")
    return list(filter(runs_here, wanted))


def main(arguments: list[str]) -> int:
    """How many settings failed."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    settings = chosen(arguments[:split])
    failed = [name for name in settings if not passes(name, arguments[split + 1 :])]
    blamed = f"; failed: {', '.join(failed)}" if failed else ""
    say(f"{len(settings) - len(failed)} of {len(settings)} settings passed{blamed}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
