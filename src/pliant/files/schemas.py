"""JSON Schema of a kind of model, for editors: what may be written where, and what it means."""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from typing import Any

from pliant.files.kinds import VERSION, fetch, kind_named

_COMMENT = re.compile(r"^    (\w+): .*?  # (.+)$", re.MULTILINE)


@cache
def schema(kind: str) -> dict[str, Any]:
    """The schema of `kind = "…"` files. The comments beside the fields become their descriptions."""
    model = fetch(kind_named(kind).model)
    found: dict[str, Any] = model.model_json_schema(by_alias=True)
    module = sys.modules[model.__module__]
    for name, entry in (*found["$defs"].items(), (model.__name__, found)):
        _describe(entry, getattr(module, name, None))
    found["properties"]["pliant"]["description"] = f"version of the file format, {VERSION}"
    required = ["pliant", "kind", *found["required"]]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "required": required}


def _describe(entry: dict[str, Any], model: Any) -> None:
    if model is None:
        return
    comments: dict[str, str] = {}
    for base in reversed(model.__mro__[:-1]):
        if base.__module__ == model.__module__:
            comments.update(_COMMENT.findall(inspect.getsource(base)))
    for name, field in model.model_fields.items():
        written = entry["properties"][field.alias or name]
        written.pop("title", None)  # pydantic's is the key again
        if name in comments:
            written["description"] = comments[name]
