"""The function that rules are applied to, as far as they may ask about it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy.typing as npt

from relayish.analysis.variables import free_vars
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Call, Constant, Expr, Function, TupleGetItem, Var
from relayish.ir.relay.type import Type
from relayish.onnx import info
from relayish.onnx.operators import identity_of
from relayish.onnx.protos.attributes import REFERENCE
from relayish.passes.onnx.rewrite.engine.constants import array_of, constant_of_node
from relayish.passes.onnx.rewrite.engine.facts import FactSource
from relayish.rewriting.relay.chain import take_chain
from relayish.rewriting.rule import Facts


class Scope(Facts):
    """A function that is being rewritten, as far as it can be asked about.

    Args:
        func: The function.
        facts: What is known of types and values.
        opsets: The version of each operator set.
        outer: That of the function around, of a graph.
        captured: What the last parameters of a graph stand for, there.
    """

    family = Expr

    def __init__(
        self,
        func: Function,
        facts: FactSource,
        opsets: Mapping[str, int],
        outer: Scope | None,
        captured: Mapping[Expr, Expr] | None,
    ) -> None:
        super().__init__(func)
        self.function = func
        self.outer = outer
        self.captured: Mapping[Expr, Expr] = captured or {}
        self._facts = facts
        self._has_references: bool = _is_of_model(func) if outer is None else outer._has_references  # noqa: SLF001 - of the same class
        self._opsets = opsets
        self._chain = take_chain(func)
        self._arrays: dict[Expr, npt.NDArray[Any] | None] = {}  # Any: of whatever element type

    def is_known(self, var: Var) -> bool:
        """Return whether a variable means something in the function: bound there, or from outside.

        Complexity:
            Constant; linear in the function, once, for one that is neither bound nor a parameter.
        """
        return var in self._chain.bindings or var in self._params or var in self._free

    @cached_property
    def _params(self) -> frozenset[Expr]:
        return frozenset(self.function.params)

    @cached_property
    def _free(self) -> frozenset[Expr]:
        return frozenset(free_vars(self.function))

    @property
    def function_opset(self) -> int:
        """The version of ONNX's own operator set that the function is written for.

        Where nobody says, it is the oldest that has all its calls.
        """
        return self.opset("") or self._oldest_opset

    @cached_property
    def _oldest_opset(self) -> int:
        calls = [each.value for each in self._chain if type(each.value) is Call]
        return max([self.version(each) for each in calls], default=1)

    def opset(self, domain: str) -> int:
        """Return the version of the operator set of ``domain``; 0 if the function has none."""
        return self._opsets.get(domain, self._opsets.get("ai.onnx", 0) if not domain else 0)

    def definition(self, expr: Expr) -> Expr:
        """Return what a variable is bound to, through aliases; any other expression itself.

        Of a value that a graph captures, that is a constant, where it is one outside.
        """
        while type(expr) is Var:
            bound = self._chain.bindings.get(expr)
            if bound is None:
                return self._outside(expr)
            expr = bound.value
        return expr

    def bound_to(self, expr: Expr) -> Expr | None:
        """Return what a variable is bound to, another variable perhaps; ``None`` of parameters."""
        bound = self._chain.bindings.get(expr)
        return None if bound is None else bound.value

    def outside(self, expr: Expr) -> Expr | None:
        """Return what a captured value is called outside; ``None`` if ``expr`` is none."""
        return self.captured.get(expr)

    def _outside(self, var: Var) -> Expr:
        captured = self.outside(var)
        if captured is None or self.outer is None:
            return var
        found = self.outer.definition(captured)
        if type(found) is Constant:
            return found
        if type(found) is Call and self.outer.constant(captured) is not None:
            return found  # a node that is a constant, of which nothing is captured
        return var

    def producer(self, expr: Expr, *operators: str, domain: str = "") -> Call | None:
        """Return the call that gives ``expr``, if it is one of these operators, in any version.

        Without operators, it may be any of ONNX. Attributes of the call are known.
        """
        found = self.definition(expr)
        if type(found) is not Call:
            return None
        identity = identity_of(found.op)
        if identity is None or identity.domain != domain or self.is_open(found):
            return None
        return found if not operators or identity.name in operators else None

    def is_open(self, call: Call) -> bool:
        """Return whether a call has attributes that calls of the function around it give."""
        return self._has_references and call.attrs is not None and has_references(call.attrs)

    def constant(self, expr: Expr) -> npt.NDArray[Any] | None:  # Any: of whatever element type
        """Return the value of a constant: inline, bound, captured, or a node ``Constant``.

        Returns:
            The value, which is not to be written to; ``None`` if ``expr`` is no constant tensor.
        """
        found = self.definition(expr)
        if type(found) is Constant:
            return array_of(found.data)
        if type(found) is not Call:
            return None
        if found not in self._arrays:
            self._arrays[found] = constant_of_node(found)
        return self._arrays[found]

    def value_of(self, expr: Expr) -> npt.NDArray[Any] | None:  # Any: as above
        """Return the value of ``expr`` where it is known: constant, or by what types say."""
        found = self.constant(expr)
        return found if found is not None else self._facts.value_of(self, expr)

    def users(self, expr: Expr) -> tuple[Call, ...]:
        """Return the calls that use a variable, each once; those whose graphs capture it too."""
        users = self._chain.users.get(expr, {})
        return tuple([each.value for each in users if type(each.value) is Call])

    def uses_of(self, expr: Expr) -> tuple[tuple[Var | None, Expr], ...]:
        """Return what uses a variable: values with the variables they are bound to.

        The results of the function have no variable.
        """
        return tuple([(each.var, each.value) for each in self._chain.users.get(expr, {})])

    def count_uses(self, expr: Expr) -> int:
        """Return how often a variable is used, as a result and by graphs that capture it too."""
        return self._chain.count_uses(expr)

    def is_used_once(self, expr: Expr) -> bool:
        """Return whether a variable is used in one place, which may be among the results."""
        return self._chain.is_used_once(expr)

    def is_result(self, expr: Expr) -> bool:
        """Return whether a variable is a result of the function."""
        return self._chain.end in self._chain.users.get(expr, {})

    def of(self, node: Expr) -> Type | None:
        """Return the type of an expression, as :meth:`type_of`."""
        return self.type_of(node)

    def type_of(self, expr: Expr) -> Type | None:
        """Return the type of an expression; ``None`` if nothing is known."""
        return self._facts.type_of(self, expr)

    def shape_of(self, expr: Expr) -> tuple[Any, ...] | None:  # Any: dimensions, of several kinds
        """Return the dimensions of a tensor; ``None`` if not even their number is known."""
        return getattr(self.type_of(expr), "shape", None)

    def rank_of(self, expr: Expr) -> int | None:
        """Return the number of dimensions of a tensor; ``None`` if it is not known."""
        shape = self.shape_of(expr)
        return None if shape is None else len(shape)

    def dtype_of(self, expr: Expr) -> str | None:
        """Return the element type of a tensor; ``None`` if it is not known."""
        return getattr(self.type_of(expr), "dtype", None)

    @staticmethod
    def attribute(call: Call, name: str, default: Any = None) -> Any:  # Any: as schemas say
        """Return an attribute of a call, or ``default``."""
        return default if call.attrs is None else call.attrs.get(name, default)

    @staticmethod
    def version(call: Call) -> int:
        """Return the version of the operator set that brought the operator of a call."""
        identity = identity_of(call.op)
        return 0 if identity is None else identity.since_version

    @staticmethod
    def operator(call: Expr) -> str | None:
        """Return the name of the operator of a call, if it is one of ONNX's own."""
        identity = identity_of(call.op) if type(call) is Call else None
        return None if identity is None or identity.domain else identity.name

    def used_outputs(self, expr: Expr) -> frozenset[int] | None:
        """Return which results of a call with several are used.

        Returns:
            Their places; ``None`` if the tuple of all of them is used as a whole.
        """
        found: set[int] = set()
        for user in self._chain.users.get(expr, {}):
            if type(user.value) is not TupleGetItem:
                return None
            if user.var is not None and self._chain.users.get(user.var):
                found.add(user.value.index)
        return frozenset(found)


def _is_of_model(func: Function) -> bool:
    """Return whether a function is one of the model, whose calls have attributes."""
    return func.attrs is not None and info.FUNCTION in func.attrs


def has_references(attrs: Attrs) -> bool:
    """Return whether some attributes are those of the function of the model around."""
    return any(isinstance(value, DictAttrs) and REFERENCE in value for _, value in attrs.items())
