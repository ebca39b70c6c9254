from __future__ import annotations

import typing
from typing import Any, ClassVar

import pytest

from relayish.ir.fields import hints
from relayish.ir.fields.hints import class_hints
from relayish.ir.nodes.node import Node, node_kinds
from tests.support.each import each


class Above:
    count: ClassVar[int]
    same: Above | None


class Below(Above):
    count: str  # type: ignore[assignment]  # as a careless user writes it
    names: tuple[str, ...]


@each("cls", [Above, Below, Node, *node_kinds().values()])
def test_hints_are_those_that_python_finds(cls: type) -> None:
    assert class_hints(cls) == typing.get_type_hints(cls, localns={cls.__name__: cls})


def test_own_annotation_stands_in_place_of_that_of_a_base() -> None:
    assert class_hints(Below)["count"] is str


def test_what_a_base_of_others_names_is_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Apart:
        held: Above

    class Under(Apart):
        pass

    assert class_hints(Under)["held"] is Above
    monkeypatch.setitem(globals(), "Above", int)
    assert class_hints(Under)["held"] is int


def test_bases_of_the_library_are_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class_hints(Node)
    evaluated: list[Any] = []
    monkeypatch.setattr(typing, "get_type_hints", lambda cls, **_: evaluated.append(cls) or {})

    class Mine(Node):
        value: int

    hints.class_hints(Mine)
    assert [each.__name__ for each in evaluated] == ["Mine"]


def test_name_that_is_not_there_is_told() -> None:
    class Lost:
        held: Nowhere  # type: ignore[name-defined]  # noqa: F821 - as it is tried

    with pytest.raises(NameError) as raised:
        class_hints(Lost)
    assert raised.value.name == "Nowhere"
