"""JSON of results, and JSON Schema of what they are.

A result of a command is a dataclass or a ``TypedDict``, or a list of these, which the module of the
command names as ``RESULT``. Both its JSON and the schema follow from the annotations, and what an
entry means from the section ``Attributes:`` of the docstring.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, Literal, TypeAlias, Union

Json: TypeAlias = Mapping[str, Any]  # Any: as JSON has it

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
"""The language of schemas."""

_SIMPLE: Final[Mapping[object, Json]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    object: {},
    Any: {},
}


def render_json(result: object) -> str:
    r"""Return a result as JSON, with a line end; numbers that are none of JSON become ``null``.

    Example:
        >>> render_json({"seconds": float("nan")})
        '{\n  "seconds": null\n}\n'
    """
    return json.dumps(_plain(result), indent=2, allow_nan=False) + "\n"


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(held) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, AbstractSet):
        return sorted(map(str, value))
    return None if isinstance(value, float) and not math.isfinite(value) else value


def render_schema(kind: object, title: str) -> str:
    """Return the JSON Schema of results of a command, with a line end."""
    return json.dumps({"$schema": DRAFT, "title": title, **schema_of(kind)}, indent=2) + "\n"


def schema_of(kind: Any) -> Json:  # Any: what may stand in an annotation
    """Return the JSON Schema of values that an annotation allows.

    Raises:
        TypeError: If JSON has no such values.

    Example:
        >>> schema_of(tuple[int, ...] | None)
        {'anyOf': [{'type': 'array', 'items': {'type': 'integer'}}, {'type': 'null'}]}
    """
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    origin, given = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(each) for each in given]}
    if origin is Literal:
        return {"enum": list(given)}
    if origin in (typing.Required, typing.NotRequired, typing.Annotated):
        return schema_of(given[0])
    if inspect.isclass(origin) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(given[1])}
    if inspect.isclass(origin) and issubclass(origin, (Sequence, AbstractSet)):
        return {"type": "array", "items": schema_of(given[0])}
    if dataclasses.is_dataclass(kind) or typing.is_typeddict(kind):
        return _object(kind)
    raise TypeError(f"{kind!r} is no annotation of which there is JSON")


def _object(kind: Any) -> Json:  # Any: a dataclass or a TypedDict
    hints = typing.get_type_hints(kind, include_extras=True)
    if dataclasses.is_dataclass(kind):
        hints = {each.name: hints[each.name] for each in dataclasses.fields(kind)}
    needed = getattr(kind, "__required_keys__", hints)
    documented = inspect.cleandoc(kind.__doc__ or "")
    told = dict(_attributes(documented))
    properties = {
        name: {**schema_of(hint), **({"description": told[name]} if name in told else {})}
        for name, hint in hints.items()
    }
    return {
        "type": "object",
        "description": documented.partition("\n")[0],
        "properties": properties,
        "required": [
            name
            for name, hint in hints.items()
            if name in needed and typing.get_origin(hint) is not typing.NotRequired
        ],
        "additionalProperties": False,
    }


def _attributes(documented: str) -> Iterator[tuple[str, str]]:
    """Yield what a docstring tells of attributes."""
    section = re.search(r"^Attributes:\n((?: +.*\n?|\n)*)", documented, re.MULTILINE)
    for entry in re.split(r"\n(?= {4}\w)", section[1].rstrip() if section else ""):
        name, _, text = entry.strip().partition(": ")
        if text:
            yield name, " ".join(text.split())
