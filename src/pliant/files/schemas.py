"""JSON Schema of a kind of model, for editors: what may be written where, and what it means."""

from __future__ import annotations

from functools import cache
from typing import Any

from pliant.files.kinds import VERSION, fetch, kind_named


@cache
def schema(kind: str) -> dict[str, Any]:
    """The schema of `kind = "…"` files, with the descriptions that the fields of its classes have."""
    document: dict[str, Any] = fetch(kind_named(kind).model).model_json_schema(by_alias=True)
    for entry in (*document.get("$defs", {}).values(), document):
        for written in entry.get("properties", {}).values():
            written.pop("title", None)  # pydantic's is the key again
    document["properties"]["pliant"]["description"] = f"version of the file format, {VERSION}"
    required = ["pliant", "kind", *document.get("required", ())]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document, "required": required}
