"""Patterns as conditions on the tensors of a value, and what they bind."""

from __future__ import annotations

from relayish.codegen.c.ordering.leaves import Layouts
from relayish.codegen.c.ordering.memory import Value
from relayish.functor import PatternFunctor
from relayish.ir.relay.adt import PatternConstructor, PatternTuple, PatternVar, PatternWildcard
from relayish.ir.relay.expr import Var
from relayish.ir.relay.type import TupleType, Type
from relayish.tir.ir.operators import EQ, And, const
from relayish.tir.ir.operators import Expr as Scalar


class Tests(PatternFunctor[None]):
    """Tells when a pattern matches, and what it binds.

    Attributes:
        condition: When it does; ``None``: always.
        bound: The variables of the pattern, and the tensors that each stands for.
    """

    def __init__(self, layouts: Layouts) -> None:
        super().__init__()
        self._layouts = layouts
        self.condition: Scalar | None = None
        self.bound: list[tuple[Var, Value]] = []

    def visit_pattern_wildcard(self, pattern: PatternWildcard, ty: Type, data: Value) -> None:
        """Match anything."""

    def visit_pattern_var(self, pattern: PatternVar, ty: Type, data: Value) -> None:  # noqa: ARG002
        self.bound.append((pattern.var, data))

    def visit_pattern_tuple(self, pattern: PatternTuple, ty: Type, data: Value) -> None:
        assert isinstance(ty, TupleType)
        at = 0
        for inner, field in zip(pattern.patterns, ty.fields, strict=True):
            count = len(self._layouts.visit(field))
            self.visit(inner, field, data[at : at + count])
            at += count

    def visit_pattern_constructor(self, pattern: PatternConstructor, ty: Type, data: Value) -> None:
        number, fields = self._layouts.fields_of(ty, pattern.constructor)
        test = EQ(data[0][()], const(number))
        self.condition = test if self.condition is None else And(self.condition, test)
        for inner, (field, place) in zip(pattern.patterns, fields, strict=True):
            self.visit(inner, field, data[place])
