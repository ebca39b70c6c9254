"""Values held against JSON Schema, as far as schemas of results go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_TYPES: Final = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
    "array": list,
    "object": dict,
}
_KNOWN: Final = {
    *("type", "items", "enum", "anyOf", "properties", "required", "additionalProperties"),
    *("$schema", "title", "description"),
}


def faults(value: object, schema: Mapping[str, Any], where: str = "$") -> Iterator[str]:
    """Yield what is wrong with a value of JSON, by a schema."""
    assert schema.keys() <= _KNOWN, f"words of schemas that are not known here: {schema.keys()}"
    if "anyOf" in schema and all(any(faults(value, each)) for each in schema["anyOf"]):
        yield f"{where}: {value!r} is none of what it may be"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r} is none of {schema['enum']}"
    kind = schema.get("type")
    is_bool = isinstance(value, bool) and kind != "boolean"
    if kind is not None and (is_bool or not isinstance(value, _TYPES[kind])):
        yield f"{where}: {value!r} is no {kind}"
        return
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from faults(each, schema.get("items", {}), f"{where}[{number}]")
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{where} has no {name}"
        for name, each in value.items():
            rest = schema.get("additionalProperties", {})
            own = properties.get(name, rest)
            if own is False:
                yield f"{where} may not have {name}"
            else:
                yield from faults(each, own, f"{where}.{name}")
