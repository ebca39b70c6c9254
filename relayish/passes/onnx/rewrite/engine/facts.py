"""Facts for rules: types and values of a function that is being rewritten."""

from __future__ import annotations

from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

import numpy.typing as npt

from relayish._support.graph import post_order
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Op, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import TensorType, Type
from relayish.onnx.calls import graph_names
from relayish.onnx.propagation import Fact, Facts, propagate
from relayish.rewriting.relay.chain import Chain


class Scope(Protocol):
    """What is asked of a function that is being rewritten."""

    @property
    def outer(self) -> Scope | None:
        """The function around, of a graph."""

    def bound_to(self, expr: Expr) -> Expr | None:
        """Return what a variable is bound to; ``None`` of parameters."""

    def outside(self, expr: Expr) -> Expr | None:
        """Return what a captured value is called outside."""


class FactSource:
    """Types and values of the variables of a function, found when a rule asks for the first.

    Values of variables stay the same while a function is rewritten, so what was found of them stays
    true. What is known of new variables follows from what they are bound to.

    Args:
        func: The function, as it is before anything is rewritten.
        mod: The module it belongs to.
    """

    def __init__(self, func: Function, mod: IRModule | None) -> None:
        self._func = func
        self._mod = mod
        self._facts: Facts | None = None
        self._known: set[Expr] = set()

    def type_of(self, graph: Scope, expr: Expr) -> Type | None:
        """Return the type of an expression in the function of ``graph``."""
        return self._ask(graph, expr).type_of(expr)

    def value_of(
        self, graph: Scope, expr: Expr
    ) -> npt.NDArray[Any] | None:  # Any: of whatever element type
        """Return the value of an expression, where it is known."""
        return self._ask(graph, expr).value_of(expr)

    def _ask(self, graph: Scope, expr: Expr) -> Facts:
        """Return the facts, among which are those of an expression.

        Complexity:
            Linear in what the expression is computed from and was not asked for before; no
            recursion but into the functions around.
        """
        facts = self._facts
        if facts is None:
            facts = self._facts = facts_of(self._func, self._mod)
            self._known.update([each for each, _ in facts.items()])
        if expr in self._known:  # mostly
            return facts

        def unknown_inputs(each: Expr) -> list[Expr]:
            value = None if each in self._known else graph.bound_to(each)
            return [] if value is None else [v for v in _variables(value) if v not in self._known]

        for each in post_order([expr], unknown_inputs):
            if each not in self._known and type(each) is Var:
                self._learn(facts, graph, each, graph.bound_to(each))
        return facts

    def keep(self, image: Function, chain: Chain) -> None:
        """Keep facts for the passes behind, which are given ``image``.

        What rewriting changed is looked at again, and what follows from it: more may be known now.

        Nothing is kept where calls have graphs, or call functions of the module: what is known
        within these depends on all calls.

        Args:
            image: The function after it was rewritten.
            chain: Its bindings.
        """
        known = self._facts or _KEPT.get(self._func)
        if known is None:
            return
        facts = known.select(chain.bindings, image.params)
        renewed: set[Expr] = set()
        for each in chain:
            value = each.value
            if type(value) is Call and (type(value.op) is not Op or graph_names(value.attrs)):
                return
            assert each.var is not None
            before = facts.known(each.var)
            is_changed = each.let is None or each.let.value is not value
            is_folded = is_changed and type(value) is Constant
            if before is not None and _is_final(before) and not is_folded:
                continue
            if is_changed or not renewed.isdisjoint(each.operands):
                after = facts.bind(each.var, value)
                if before is None or after.type is not before.type or after.value is not None:
                    renewed.add(each.var)
        _KEPT[image] = facts

    def _learn(self, facts: Facts, graph: Scope, var: Var, value: Expr | None) -> None:
        self._known.add(var)
        if value is not None:
            facts.bind(var, value)
            return
        outside = graph.outside(var)
        if outside is not None and graph.outer is not None:
            self._ask(graph.outer, outside)
            facts.bind(var, outside)


_KEPT: Final[WeakKeyDictionary[Function, Facts]] = WeakKeyDictionary()
"""By function: what is known for good of its variables."""


def facts_of(func: Function, mod: IRModule | None) -> Facts:
    """Return what an earlier pass left of facts, or those of the whole function."""
    kept = _KEPT.get(func)
    return propagate(func, mod, strict=False) if kept is None else kept


def carry_facts(func: Expr, image: Expr) -> None:
    """Keep what is known of a function for another, whose variables have the same values."""
    if type(func) is Function and type(image) is Function and func in _KEPT:
        _KEPT[image] = _KEPT[func]  # both may add what they ask for


def _is_final(fact: Fact) -> bool:
    """Return whether no more can become known: the value is, or it is a float of known shape."""
    if fact.value is not None:
        return True
    ty = fact.type
    if type(ty) is not TensorType or ty.dtype.startswith(_COUNTABLE):
        return False
    for size in ty.shape:
        if type(size) is AnyDim:
            return False
    return True


_COUNTABLE: Final = ("int", "uint", "bool")
"""How element types begin of which single elements may be known."""


def _variables(value: Expr) -> list[Expr]:
    """Return the variables that a value is made of."""
    parts: tuple[Expr, ...] = ()
    if type(value) is Call:
        parts = value.args
    elif type(value) is Tuple:
        parts = value.fields
    elif type(value) is TupleGetItem:
        parts = (value.tuple_value,)
    elif type(value) is Var:
        parts = (value,)
    return [part for part in parts if type(part) is Var]
