"""Partially static values: what is known of a value while its program is transformed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from pyrsistent import PMap

from relayish.ir.nodes.span import Span
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Constant, Expr, Function, Op
from relayish.ir.relay.type import Type, TypeVar
from relayish.passes.relay.fold.partial_eval.environment import Environment
from relayish.passes.relay.fold.partial_eval.residual import Slot

TypeEnvironment: TypeAlias = "PMap[TypeVar, Type]"
"""What the type variables of the functions stand for whose bodies were put in place of calls."""


@dataclass(slots=True, eq=False)
class Value:
    """A value: what is known of it, and how the program that is left names it.

    ``expr`` is a variable, a constant, or another expression that may stand anywhere; ``None`` as
    long as nobody needs one, and then its binding goes into ``slot``.
    """

    static: Static | None = None
    expr: Expr | None = None
    slot: Slot | None = None
    span: Span | None = None


class Fields:
    """A tuple."""

    __slots__ = ("fields", "height")

    def __init__(self, fields: tuple[Value, ...]) -> None:
        self.fields = fields
        self.height = height_above(fields)


class Built:
    """What a constructor made of its arguments."""

    __slots__ = ("constructor", "fields", "height", "type_args")

    def __init__(
        self, constructor: Constructor, fields: tuple[Value, ...], type_args: tuple[Type, ...]
    ) -> None:
        self.constructor = constructor
        self.fields = fields
        self.type_args = type_args
        self.height = height_above(fields)


@dataclass(slots=True, eq=False)
class Closure:
    """A function, with what the variables around it stand for."""

    func: Function
    env: Environment[Value]
    types: TypeEnvironment


class Cell:
    """A reference that was created in the program; it is itself and no other."""

    __slots__ = ()


Static: TypeAlias = Constant | Op | Constructor | Fields | Built | Closure | Cell


def height_above(fields: tuple[Value, ...]) -> int:
    """Return how high a structure of these fields is, as far as it is known."""
    heights = [f.static.height for f in fields if isinstance(f.static, (Fields, Built))]
    return 1 + max(heights, default=0)


def truth_of(value: Value) -> bool | None:
    """Return what a condition is, where that is known."""
    static = value.static
    if type(static) is not Constant or not isinstance(static.data, np.bool_):
        return None
    return bool(static.data)
