"""One case, from text to a row of figures: what processes and workers of a cluster do."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pliant.core.errors import InputError, PliantError
from pliant.core.progress import Interrupted, Progress
from pliant.sweeps.quantities import chosen, common


def solve_case(task: str, progress: Progress) -> dict[str, Any] | None:
    """Status, message and data of a case's result; None where Ctrl-C stopped it.

    Bad input is a row, too, and so is a fault of pliant: the other cases go on.
    """
    started = time.perf_counter()
    try:
        row = _answer(json.loads(task), progress)
    except (KeyboardInterrupt, Interrupted):
        return None
    except InputError as error:
        row = {"status": "bad_input", "message": "; ".join(map(str, error.faults[:3])), "failed": True}
    except PliantError as error:
        row = {"status": "failed", "message": str(error), "failed": True}
    except Exception as error:  # noqa: BLE001  whatever it is, the other cases go on
        row = {"status": "failed", "message": f"{type(error).__name__}: {error}", "failed": True}
    return {**row, "seconds": time.perf_counter() - started}


def solve_for_figures(task: str, progress: Progress) -> dict[str, Any] | None:
    """Of a case's result only the figures that its task asks for, by the name that asked; None where stopped.

    Where none are asked for, the first dozen. A name that is no figure may be a parameter of the file, those
    that are made of others among them; what is neither is "unknown", with a cure.
    """
    row = solve_case(task, progress)
    data, parameters = (row.pop("data", None), row.pop("parameters", {})) if row else (None, {})
    if row is None or data is None:
        return row
    report = json.loads(task)["report"]
    if not report:
        return {
            **row,
            "figures": {name: {name: value} for name, value in common(data).items()},
            "unknown": {},
        }
    figures, unknown = dict[str, Any](), dict[str, str]()
    for name in report:
        try:
            figures[name] = chosen([name], data)
        except InputError as error:
            if name in parameters:
                figures[name] = {name: float(parameters[name])}
            else:
                unknown[name] = error.faults[0].cure
    return {**row, "figures": figures, "unknown": unknown}


def _answer(case: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from pliant.core.status import NO_ANSWER
    from pliant.files import model_of
    from pliant.files.kinds import check_command, kind_named
    from pliant.files.parse import parse
    from pliant.files.studies import chosen_study

    name = case["name"]
    data = parse(case["text"], Path(f"model{case['suffix']}"))
    model = model_of(data, name if not case["changes"] else "", case["changes"])
    kind = kind_named(model.kind)
    command = case["command"] or kind.command
    check_command(model.kind, command, name)
    result: Any = kind.answer(command)(model, chosen_study(model, None, {}, command), progress=progress)
    return {
        "status": result.status.name.lower(),
        "message": result.summary().split("\n")[0],
        "failed": result.status.exit_code == NO_ANSWER,
        "parameters": dict(model.parameters),
        "in_radians": list(result.in_radians),
        "data": {key: value for key, value in result.to_dict().items() if key != "motion"},
    }
