"""Named tuples as fields: with enumerations in them, as texts read them back."""

from __future__ import annotations

import pickle
from enum import Enum, Flag
from typing import NamedTuple

import pytest

import relayish as relay
from relayish.text import parse_node


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Style(Flag):
    THIN = 1
    BROKEN = 2


class Pen(NamedTuple):
    colour: Colour
    width: int = 1


class Line(NamedTuple):
    pen: Pen = Pen(Colour.RED)
    style: Style = Style.THIN
    points: tuple[tuple[int, int], ...] = ()


class Drawing(relay.Node):
    __slots__ = ()
    visit_name = "drawing"


@relay.node("stroke", effect=relay.Effect.NONE)
class Stroke(Drawing):
    line: Line = relay.field(default=Line())
    pen: Pen | None = None


FULL = Stroke(Line(Pen(Colour.BLUE, 3), Style.THIN | Style.BROKEN, ((0, 0), (1, 2))))


def test_enumerations_are_found_inside_of_named_tuples():
    enums = {declared.name: declared.enums for declared in Stroke.fields_}
    assert enums == {
        "line": {"Colour": Colour, "Style": Style},
        "pen": {"Colour": Colour},
    }


def test_plain_tuple_becomes_the_named_one():
    assert Stroke((Pen(Colour.RED), Style.BROKEN)).line == Line(style=Style.BROKEN)
    assert type(Stroke(pen=[Colour.BLUE, 2]).pen) is Pen
    assert Stroke(pen=None).pen is None


def test_named_tuple_is_kept_as_it_is():
    assert Stroke(FULL.line).line is FULL.line


def test_plain_tuple_of_too_many_values_is_refused():
    with pytest.raises(relay.FieldError, match=r"Stroke.pen must be Pen; found \(1, 2, 3\)"):
        Stroke(pen=(1, 2, 3))


def test_what_is_no_tuple_is_refused():
    with pytest.raises(relay.FieldError, match=r"Stroke.line must be Line; found 3"):
        Stroke(3)


@pytest.mark.parametrize("value", [FULL, Stroke(), Stroke(pen=Pen(Colour.BLUE))])
def test_text_reads_back(value):
    assert relay.structural_equal(parse_node(relay.astext(value)), value)
    assert relay.structural_equal(pickle.loads(pickle.dumps(value)), value)


def test_members_of_enumerations_are_written_by_name():
    assert "Colour.BLUE" in relay.astext(FULL)
    assert "THIN|BROKEN" in relay.astext(FULL)
