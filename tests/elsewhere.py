"""Run the tests as they would run on other processors, one setting after the other.

    python tests/elsewhere.py                       three runs that between them have every setting
    python tests/elsewhere.py generic,nehalem       these, each alone
    python tests/elsewhere.py generic+nehalem       these together
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
TOGETHER = ("generic+nehalem+least", "znver3+zen+narrow+threads", "skylake+haswell")
NEEDS = {"znver3": "avx2", "skylake": "avx512f", "haswell": "avx2", "zen": "avx2"}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def runs_here(name: str) -> bool:
    """Whether this processor has the instructions that a setting uses."""
    needed = NEEDS.get(name)
    return needed is None or binding.get_host_cpu_features().get(needed, False)


def variables(names: list[str]) -> dict[str, str]:
    """What is set for settings together; loops are compiled once for each processor."""
    there = {key: value for name in names for key, value in SETTINGS[name].items()}
    if "NUMBA_CPU_NAME" in there:
        there["NUMBA_CACHE_DIR"] = str(CACHES / there["NUMBA_CPU_NAME"])
    return there


def passes(names: list[str], arguments: list[str]) -> bool:
    """Whether the loops compile and the tests pass under settings together."""
    there = variables(names)
    say(f"as on {'+'.join(names)}: {' '.join(f'{key}={value}' for key, value in there.items())}")
    environment = {**os.environ, **there}
    warm = [sys.executable, "-c", "from pliant.cli import main; main()", "warm", "--quiet"]
    compiled = subprocess.run(warm, cwd=ROOT, env=environment, check=False)
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env=environment, check=False
    )
    return compiled.returncode == tested.returncode == 0


def chosen(texts: list[str]) -> list[list[str]]:
    """The runs that are named, apart by commas or spaces, each of settings joined by +; else three."""
    wanted = [name for text in texts for name in text.split(",") if name] or TOGETHER
    runs = [run.split("+") for run in wanted]
    if unknown := [name for run in runs for name in run if name not in SETTINGS]:
        sys.exit(f"There is no setting {', '.join(unknown)}. There are: {', '.join(SETTINGS)}.")
    for run in runs:
        if len(variables(run).keys() - {"NUMBA_CACHE_DIR"}) < sum(len(SETTINGS[name]) for name in run):
            sys.exit(
                f"{'+'.join(run)}: two of these set the same. Run them one after the other, with a comma."
            )
        for name in run:
            if not runs_here(name):
                say(f"left out: {name}, as this processor has no {NEEDS[name]}")
    return [here for run in runs if (here := list(filter(runs_here, run)))]


def main(arguments: list[str]) -> int:
    """How many runs failed."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    runs = chosen(arguments[:split])
    failed = ["+".join(run) for run in runs if not passes(run, arguments[split + 1 :])]
    blamed = f"; failed: {', '.join(failed)}" if failed else ""
    say(f"{len(runs) - len(failed)} of {len(runs)} runs passed{blamed}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
