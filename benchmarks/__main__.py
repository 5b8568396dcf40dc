"""Run the benchmarks and print their tables: python -m benchmarks [--quick] [section …]."""

import argparse
import sys
from pathlib import Path

from benchmarks import compiling, corners, drawings, flex, linkage, machines, relax, snap
from benchmarks.measure import machine

ROOMS = (compiling, flex, corners, linkage, relax, machines, snap, drawings)
SECTIONS = {name: section for room in ROOMS for name, section in room.SECTIONS.items()}


def main() -> int:
    """Every section, or those named; the tables also go to out/benchmarks.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="default: all of them")
    parser.add_argument("--quick", action="store_true", help="leave the large sizes out")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/benchmarks.md"))
    chosen = parser.parse_args()
    parts = [f"# Benchmarks\n\n{machine()}"]
    print(parts[0], flush=True)
    for name in chosen.sections or SECTIONS:
        for part in SECTIONS[name](chosen.quick):
            parts.append(part)
            print(f"\n{part}", flush=True)
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    chosen.output.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
