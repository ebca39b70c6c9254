from __future__ import annotations

import pytest

from relayish.errors import PipelineError
from relayish.registry.syntax import (
    PassSpec,
    Written,
    WrittenSequence,
    WrittenValue,
    parse_specs,
    parse_value,
)
from tests.support.depth import DEPTH
from tests.support.each import each


def values(spec: PassSpec) -> dict[str, object]:
    return {option.name: plain(option.value) for option in spec.options}


def plain(value: WrittenValue) -> object:
    if isinstance(value, Written):
        return value.text
    return tuple(plain(item) for item in value.items)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A", ["A"]),
        ("A,B", ["A", "B"]),
        (" A ,\n\tB ", ["A", "B"]),
        ("relayish.pass_.A,B{}", ["relayish.pass_.A", "B"]),
        ("A_1,_b2", ["A_1", "_b2"]),
    ],
)
def test_entries_are_read_in_order(text: str, names: list[str]) -> None:
    assert [spec.name for spec in parse_specs(text)] == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A{x=1}", {"x": "1"}),
        ("A{x=1,y=-2.5e3,}", {"x": "1", "y": "-2.5e3"}),
        ("A { x = true , y = nn.relu }", {"x": "true", "y": "nn.relu"}),
        ("A{x='a, {b}'}", {"x": "a, {b}"}),
        (r'A{x="say \"hi\"\n\\"}', {"x": 'say "hi"\n\\'}),
        ("A{x=''}", {"x": ""}),
        ("A{x=()}", {"x": ()}),
        ("A{x=(1,)}", {"x": ("1",)}),
        ("A{x=[1, (2, 3), ' 4']}", {"x": ("1", ("2", "3"), " 4")}),
    ],
)
def test_options_are_read(text: str, expected: dict[str, object]) -> None:
    assert values(parse_specs(text)[0]) == expected


def test_quotes_are_remembered() -> None:
    assert parse_value("'1'") == Written("1", quoted=True, position=0)
    assert parse_value(" 1") == Written("1", quoted=False, position=1)


def test_values_say_what_they_are() -> None:
    assert str(parse_value("(1, 2)")) == "a sequence of 2"
    assert str(parse_value("a")) == "'a'"


@each(
    ("text", "message", "column"),
    [
        ("", "expected the name of a pass; found nothing", 1),
        ("  ", "expected the name of a pass; found nothing", 3),
        (",A", "expected the name of a pass; found nothing", 1),
        ("A,", "expected the name of a pass; found nothing", 3),
        ("A,,B", "expected the name of a pass; found nothing", 3),
        ("{x=1}", "expected the name of a pass; found nothing", 1),
        ("3A", "expected the name of a pass; found '3A'", 1),
        ("'A'", "expected the name of a pass; found", 1),
        ("A B", "expected a comma or the end; found 'B'", 3),
        ("A}", "expected a comma or the end; found '}'", 2),
        ("A{x=1}}", "expected a comma or the end; found '}'", 7),
        ("A{", "this brace is never closed", 2),
        ("A{x=1", "this brace is never closed", 2),
        ("A{x=1,", "this brace is never closed", 2),
        ("A{x}", "option 'x' has no value; write x=...", 3),
        ("A{x", "option 'x' has no value; write x=...", 3),
        ("A{=1}", "expected the name of an option; found '='", 3),
        ("A{,}", "expected the name of an option; found ','", 3),
        ("A{1=1}", "expected the name of an option; found '1'", 3),
        ("A{x=1,x=2}", "option 'x' is given twice", 7),
        ("A{x=}", "expected a value; found nothing", 5),
        ("A{x=", "expected a value; found nothing", 5),
        ("A{x=,y=1}", "expected a value; found nothing", 5),
        ("A{x=)}", "expected a value; found ')'", 5),
        ("A{x=1 2}", "expected a comma or a brace; found '2'", 7),
        ("A{x=(1}", "this '(' is never closed", 5),
        ("A{x=(1,", "this '(' is never closed", 5),
        ("A{x=(1]}", "this '(' is never closed", 5),
        ("A{x=(]}", "expected a value; found ']'", 6),
        ("A{x='a}", "this quote is never closed", 5),
    ],
)
def test_faulty_text_points_at_the_place(text: str, message: str, column: int) -> None:
    with pytest.raises(PipelineError) as info:
        parse_specs(text)
    said, line, caret = str(info.value).split("\n")
    assert said.startswith(message)
    assert said.endswith(f"(column {column})")
    assert line == f"  {text}"
    assert caret == "  " + " " * (column - 1) + "^"


def test_place_is_shown_in_its_line_of_several() -> None:
    with pytest.raises(PipelineError) as info:
        parse_specs("A,\nB{x},\nC")
    assert str(info.value).endswith("\n  B{x},\n    ^")


def test_second_value_is_an_error() -> None:
    with pytest.raises(PipelineError, match="expected one value; found ',' after it"):
        parse_value("1,2")


@pytest.mark.deep
def test_values_nest_deep() -> None:
    depth = DEPTH
    value = parse_value("(" * depth + ")" * depth)
    levels = 0
    while isinstance(value, WrittenSequence) and value.items:
        value, levels = value.items[0], levels + 1
    assert levels == depth - 1
