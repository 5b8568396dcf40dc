"""JSON Schema of a kind of model, for editors: what may be written where, and what it means."""

from __future__ import annotations

from functools import cache
from typing import Any

from pliant.files.kinds import VERSION, fetch, named


@cache
def schema(kind: str) -> dict[str, Any]:
    """The schema of `kind = "…"` files, with the descriptions that the fields of its classes have."""
    found: dict[str, Any] = fetch(named(kind).model).model_json_schema(by_alias=True)
    for entry in (*found.get("$defs", {}).values(), found):
        for written in entry.get("properties", {}).values():
            written.pop("title", None)  # pydantic's is the key again
    found["properties"]["pliant"]["description"] = f"version of the file format, {VERSION}"
    required = ["pliant", "kind", *found.get("required", ())]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "required": required}
