"""What campaigns have found so far, by version of the code, kept in a file so that the next goes on."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.fuzz.campaign import Case

ROOT = Path(__file__).parents[2]


@dataclass
class Tally:
    """What was tried and found, all by one version of the code."""

    files: int = 0
    solves: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    touched: Counter[str] = field(default_factory=Counter)  # keys of models that were solved
    findings: list[dict[str, Any]] = field(default_factory=list)

    def add(self, case: Case, trial: dict[str, Any]) -> None:
        self.files += 1
        self.solves += trial["solved"]
        self.outcomes[f"{case.kind}: {trial['outcome'] or 'broke'}"] += 1
        self.touched.update(f"{case.kind}: {key}" for key in trial.get("touched", ()))
        self.findings += [{"kind": case.kind, "seed": case.seed, **finding} for finding in trial["findings"]]

    def table(self) -> str:
        """Files, solves and findings; the keys in use; then each sort of finding with a case of it."""
        lines = [f"files {self.files}, solves {self.solves}, findings {len(self.findings)}"]
        lines += [f"{number:8d}  {name}" for name, number in sorted(self.outcomes.items())]
        sorts: dict[str, list[dict[str, Any]]] = {}
        for finding in self.findings:
            label = f"{finding['what']} in {finding['phase']}: {finding['where']}"
            sorts.setdefault(label, []).append(finding)
        for label, found in sorted(sorts.items(), key=lambda sort: -len(sort[1])):
            first, text = found[0], found[-1]["text"].replace("\n", " | ")[:160]
            lines.append(f"{len(found):6d} × {label} [{first['kind']} {first['seed']}] {text}")
        return "\n".join(lines)

    def usage(self, known: dict[str, list[str]]) -> str:
        """How many keys of each kind were in models that were solved, the rarest, and those in none."""
        lines = []
        for kind, keys in known.items():
            times = {key: self.touched[f"{kind}: {key}"] for key in keys}
            never = [key for key in keys if not times[key]]
            rare = sorted(set(keys) - set(never), key=lambda key: times[key])[:5]
            lines.append(f"{kind}: {len(keys) - len(never)} of {len(keys)} keys were solved with")
            lines[-1] += "; seldom: " + ", ".join(f"{key} {times[key]}" for key in rare) if rare else ""
            lines[-1] += "; never: " + ", ".join(never) if never else ""
        return "\n".join(lines)


def version() -> str:
    """A key of all sources that a campaign runs."""
    digest = hashlib.sha256()
    for folder in (ROOT / "src", ROOT / "tests" / "fuzz"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


class Ledger:
    """A file with the tallies of several versions of the code, and the seed that is next."""

    def __init__(self, path: Path) -> None:
        self.path, self.version = path, version()
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.next_seed: int = kept.get("next_seed", 1)
        self._others: dict[str, Any] = kept.get("versions", {})
        self.tally = Tally(**_counted(self._others.pop(self.version, {})))

    def write(self) -> None:
        """Put down what is known, the version of now last."""
        data = {"next_seed": self.next_seed, "versions": {**self._others, self.version: vars(self.tally)}}
        beside = self.path.with_suffix(".part")
        beside.write_text(json.dumps(data, indent=1), encoding="utf-8")
        beside.replace(self.path)


def _counted(kept: dict[str, Any]) -> dict[str, Any]:
    return {key: Counter(value) if isinstance(value, dict) else value for key, value in kept.items()}
