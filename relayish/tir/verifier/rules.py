"""Local rules: what a kind of node demands of itself and its children, wherever it stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeAlias

from relayish.ir.kind_table import KindTable
from relayish.ir.node import Node
from relayish.tir.ir.type import Type
from relayish.tir.verifier.violation import Report

LocalRule: TypeAlias = Callable[[Any, Report], None]  # Any: a node of one kind
"""``rule(node, report)`` looks at the fields of ``node`` and the types of what they hold."""


def _demand_nothing(node: Node, report: Report) -> None:
    pass


LOCAL_RULES: Final[KindTable[LocalRule]] = KindTable(
    "the verifier", "relayish.tir.register_verify_rule", {Node: _demand_nothing}
)
"""By kind; a rule of a kind stands in place of those of its families."""


def register_verify_rule(
    kind: type[Node], *, replace: bool = False
) -> Callable[[LocalRule], LocalRule]:
    """Say what nodes of class ``kind`` have to be; a decorator.

    Args:
        kind: A kind, or a family of kinds, each of which may have a rule of its own instead.
        replace: Take the place of the rule that there is.

    Raises:
        DuplicateNameError: If the kind has a rule and ``replace`` is false.
    """
    return LOCAL_RULES.register(kind, replace=replace)


@lru_cache(maxsize=4096)
def is_number(given: Type) -> bool:
    """Return whether ``given`` is a type of numbers, truth values left out."""
    return given.is_numeric and not given.is_bool


@lru_cache(maxsize=4096)
def is_numeric(given: Type) -> bool:
    """Return whether ``given`` is a type of numbers or truth values."""
    return given.is_numeric


def is_truth_value(given: Type) -> bool:
    """Return whether ``given`` is the type of one truth value."""
    return given == _BOOL


def is_index(given: Type) -> bool:
    """Return whether ``given`` is a type that counts elements and iterations."""
    return given in _INDICES


_BOOL: Final = Type("bool")
_INDICES: Final = frozenset([Type("int32"), Type("int64")])
