"""Of several values of one property, that of the highest level counts, however it is registered."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

import relayish as relay
from relayish.errors import DuplicateNameError
from relayish.ir.registration.declarations import DECLARED_LEVEL
from relayish.op import OpPattern, properties, register_op

WAYS: Final[dict[str, Callable[[str, Any, int], object]]] = {  # Any: values of several properties
    "register_pattern": relay.op.register_pattern,
    "register_op_attr": lambda name, value, level: relay.op.register_op_attr(
        name, "TOpPattern", value, level
    ),
    "set_attr": lambda name, value, level: relay.op.get(name).set_attr("TOpPattern", value, level),
}


@pytest.fixture(autouse=True)
def declarations() -> Iterator[None]:
    with relay.declared_temporarily():
        yield


def declare(**told: Any) -> relay.op.Op:  # Any: as above
    return register_op("tests.levels", arguments=("data",), **told)


@pytest.mark.parametrize("way", WAYS)
def test_higher_level_counts(way: str) -> None:
    op = declare(pattern=OpPattern.BROADCAST)
    WAYS[way](op.name, OpPattern.ELEMWISE, DECLARED_LEVEL - 1)
    assert properties.pattern.get(op) is OpPattern.BROADCAST
    WAYS[way](op.name, OpPattern.ELEMWISE, DECLARED_LEVEL + 1)
    assert properties.pattern.get(op) is OpPattern.ELEMWISE


@pytest.mark.parametrize("way", WAYS)
def test_level_of_the_declaration_is_refused(way: str) -> None:
    op = declare(pattern=OpPattern.BROADCAST)
    with pytest.raises(DuplicateNameError, match=r"'pattern' of level 10 already; .* by relayish"):
        WAYS[way](op.name, OpPattern.ELEMWISE, DECLARED_LEVEL)
    assert properties.pattern.get(op) is OpPattern.BROADCAST


@pytest.mark.parametrize("way", WAYS)
def test_what_is_not_told_gives_way_to_any_level(way: str) -> None:
    op = declare()
    assert properties.pattern.get(op) is OpPattern.OPAQUE
    WAYS[way](op.name, OpPattern.ELEMWISE, 1)
    assert properties.pattern.get(op) is OpPattern.ELEMWISE


def test_state_has_levels_as_patterns_have() -> None:
    op = declare(stateful=True)
    relay.op.register_stateful(op, False, DECLARED_LEVEL - 1)
    assert properties.stateful.get(op) is True
    op.set_attr("TOpIsStateful", False, DECLARED_LEVEL + 1)
    assert properties.stateful.get(op) is False


def test_declaring_anew_takes_nothing_away_that_was_registered() -> None:
    for pattern in (OpPattern.BROADCAST, OpPattern.INJECTIVE):
        op = declare(pattern=pattern)
        if pattern is OpPattern.BROADCAST:
            relay.op.register_pattern(op, OpPattern.ELEMWISE, DECLARED_LEVEL + 1)
            relay.op.register_stateful(op, True)
    assert properties.pattern.get(op) is OpPattern.ELEMWISE
    assert properties.stateful.get(op) is True


def test_declaring_anew_replaces_what_was_declared() -> None:
    for told in ({"pattern": OpPattern.BROADCAST, "stateful": True}, {}):
        op = declare(**told)
    assert properties.pattern.get(op) is OpPattern.OPAQUE
    assert op not in properties.stateful


def test_changed_for_a_while_a_property_keeps_its_level() -> None:
    op = declare(pattern=OpPattern.BROADCAST)
    op.set_attr("TOpPattern", OpPattern.ELEMWISE, 20)
    with relay.testing.TempOpAttr(op, "TOpPattern", OpPattern.OPAQUE):
        assert properties.pattern.get(op) is OpPattern.OPAQUE
    op.set_attr("TOpPattern", OpPattern.TUPLE, 15)
    assert properties.pattern.get(op) is OpPattern.ELEMWISE


def test_level_of_every_registration_is_that_of_declarations_by_default() -> None:
    takes_level = {
        name: inspect.signature(found).parameters.get("level")
        for name, found in vars(relay.op).items()
        if name.startswith("register_") and callable(found)
    }
    defaults = {name: level.default for name, level in takes_level.items() if level is not None}
    defaults["set_attr"] = inspect.signature(relay.op.Op.set_attr).parameters["plevel"].default
    assert len(defaults) > len(WAYS)
    assert set(defaults.values()) == {DECLARED_LEVEL}
