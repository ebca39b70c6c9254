from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NotRequired, TypedDict

import pytest

from relayish.cli.json_form import render_json, render_schema, schema_of
from tests.support.each import each


@dataclass(slots=True)
class Part:
    """A part.

    Attributes:
        name: What it is called,
            by whoever calls it.
        sizes: How large it is.

    Example:
        >>> nothing: None
    """

    what: ClassVar[str] = "part"
    name: str
    sizes: tuple[int, ...] = field(default=())


class Whole(TypedDict):
    """A whole."""

    parts: list[Part]
    note: NotRequired[str]


@each(
    ("value", "expected"),
    [
        (Part("a", (1, 2)), {"name": "a", "sizes": [1, 2]}),
        ({"x": Part("\x1b[31m")}, {"x": {"name": "\x1b[31m", "sizes": []}}),
        ([float("inf"), float("-inf"), float("nan"), 0.5], [None, None, None, 0.5]),
        (Counter("aab"), {"a": 2, "b": 1}),
        ({3: {"b", "a"}}, {"3": ["a", "b"]}),
        (None, None),
    ],
)
def test_json_says_what_the_result_is(value: object, expected: object) -> None:
    written = render_json(value)
    assert json.loads(written) == expected
    assert written.isascii()
    assert written.endswith("\n")


@each(
    ("kind", "expected"),
    [
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (Mapping[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
        (Sequence[bool], {"type": "array", "items": {"type": "boolean"}}),
        (frozenset[str], {"type": "array", "items": {"type": "string"}}),
        (Annotated[str, "a name"], {"type": "string"}),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (dict[str, Any], {"type": "object", "additionalProperties": {}}),
    ],
)
def test_schema_follows_from_annotations(kind: object, expected: object) -> None:
    assert schema_of(kind) == expected


def test_schema_of_an_object_tells_what_its_docstring_does() -> None:
    assert schema_of(Part) == {
        "type": "object",
        "description": "A part.",
        "properties": {
            "name": {"type": "string", "description": "What it is called, by whoever calls it."},
            "sizes": {
                "type": "array",
                "items": {"type": "integer"},
                "description": "How large it is.",
            },
        },
        "required": ["name", "sizes"],
        "additionalProperties": False,
    }


def test_schema_requires_what_must_be_there() -> None:
    schema = schema_of(Whole)
    assert schema["required"] == ["parts"]
    assert schema["properties"]["parts"]["items"] == schema_of(Part)


def test_schema_as_text_names_its_language_and_the_command() -> None:
    told = json.loads(render_schema(str, "relayish show"))
    assert told == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "relayish show",
        "type": "string",
    }


@each("kind", [complex, bytes, type])
def test_what_json_has_not_is_refused(kind: object) -> None:
    with pytest.raises(TypeError, match="no annotation of which there is JSON"):
        schema_of(kind)
