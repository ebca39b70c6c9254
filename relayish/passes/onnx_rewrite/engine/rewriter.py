"""What rewrite rules see of a function, and the fixed point of applying them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from relayish.errors import PassError
from relayish.ir.attrs import DictAttrs
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.type import Type
from relayish.onnx import info
from relayish.onnx.calls import captures_of, graphs_of, make_call, with_parts
from relayish.onnx.operator_sets import find_schema, identify
from relayish.onnx.operators import find_operator, identity_of
from relayish.passes.onnx_rewrite.engine.chain import Binding, Chain
from relayish.passes.onnx_rewrite.engine.constants import array_of, constant_of_node
from relayish.passes.onnx_rewrite.engine.facts import FactSource
from relayish.passes.onnx_rewrite.engine.names import Names
from relayish.passes.onnx_rewrite.engine.rules import RuleTable

_ROUNDS = 64
"""How many rewrites a binding may cause on average, before rules are said to undo one another."""


class Rewriter:
    """A function whose calls are rewritten: ``graph``, as rules call it.

    Rules ask it about the function around the call that they are applied to, and add bindings
    before that call. Values of variables do not change while a function is rewritten, only how they
    are computed; so what was found of their types stays true.

    Args:
        func: A function of ONNX: a chain of lets, or whatever else has operators of ONNX in it.
        rules: The rules.
        facts: What is known of types and values.
        opsets: The version of each operator set.
        outer: The rewriter of the function around, of a graph.
        captured: What the last parameters of a graph stand for, there.
    """

    def __init__(
        self,
        func: Function,
        rules: RuleTable,
        facts: FactSource,
        opsets: Mapping[str, int],
        outer: Rewriter | None = None,
        captured: Mapping[Expr, Expr] | None = None,
    ) -> None:
        self.function = func
        self._rules = rules
        self._facts = facts
        self._opsets = opsets
        self._outer = outer
        self._captured: Mapping[Expr, Expr] = captured or {}
        self._names: Names = Names(func) if outer is None else outer._names  # noqa: SLF001
        self._chain = Chain(func.body)
        self._at: Binding = self._chain.end
        self._emitted: list[Binding] = []
        self._arrays: dict[Expr, npt.NDArray[Any] | None] = {}  # Any: of whatever element type
        self._graphs_seen: dict[Expr, tuple[object, ...]] = {}
        self._rewrites = 0
        self._limit = 0

    # what rules ask

    @property
    def function_opset(self) -> int:
        """The version of ONNX's own operator set that the function is written for."""
        return self.opset("")

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

    def _outside(self, var: Var) -> Expr:
        captured = self._captured.get(var)
        if captured is None or self._outer is None:
            return var
        found = self._outer.definition(captured)
        if type(found) is Constant:
            return found
        if type(found) is Call and self._outer.constant(captured) is not None:
            return found  # a node that is a constant, of which nothing is captured
        return var

    def producer(self, expr: Expr, *operators: str, domain: str = "") -> Call | None:
        """Return the call that gives ``expr``, if it is one of these operators, in any version.

        Without operators, it may be any of ONNX.
        """
        found = self.definition(expr)
        if type(found) is not Call:
            return None
        identity = identity_of(found.op)
        if identity is None or identity.domain != domain:
            return None
        return found if not operators or identity.name in operators else None

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
        return self._chain.count_uses(expr) == 1

    def is_result(self, expr: Expr) -> bool:
        """Return whether a variable is a result of the function."""
        return self._chain.end in self._chain.users.get(expr, {})

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

    # what rules build

    @property
    def current(self) -> Var:
        """The variable of the call that a rule is applied to."""
        assert self._at.var is not None
        return self._at.var

    def emit(self, hint: str, value: Expr, *, before: Var | None = None) -> Var:
        """Bind a new variable to ``value`` before the call that a rule is applied to.

        Args:
            hint: What to call it; it gets a name that nothing else has.
            value: What it is. A variable is returned as it is.
            before: A variable of the function, to bind the new one before that.
        """
        if type(value) is Var:
            return value
        var = Var(self._names.fresh(hint))
        at = self._at if before is None else self._chain.bindings[before]
        if type(value) is Call and value.span is None:
            value = value.with_fields(span=at.value.span)
        self._emitted.append(self._chain.insert(var, value, at))
        return var

    def rebind(self, var: Var, value: Expr, why: str) -> None:
        """Bind another variable of the function, which is used, to the same value found otherwise.

        A rule that rewrites several calls at once does it by this, and returns ``None``.

        Args:
            var: The variable.
            value: A call; what it uses is bound before ``var``.
            why: The name of the rule.
        """
        self._replace(self._chain.bindings[var], value, why)

    def emit_constant(self, hint: str, value: npt.ArrayLike) -> Var:
        """Bind a new variable to a constant, as :meth:`emit` does."""
        return self.emit(hint, Constant(np.asarray(value)))

    def call(
        self,
        operator: str,
        inputs: Sequence[Expr | None],
        attributes: Mapping[str, object] | None = None,
        *,
        like: Call | None = None,
        outputs: int = 1,
        domain: str = "",
    ) -> Call:
        """Return a call of an operator, in the version that the function is written for.

        Args:
            operator: Its name.
            inputs: Its inputs, ``None`` for one that is missing.
            attributes: Its attributes.
            like: The call whose span it gets.
            outputs: How many results it gives.
            domain: The domain of ONNX the operator is in.
        """
        version = self.opset(domain) or (1 if domain else self._opset_of(like))
        identity = identify(operator, version, domain)
        op = find_operator(identity.name, identity.since_version, identity.domain)
        made = make_call(op, inputs, attributes, outputs=outputs)
        span = None if like is None else like.span
        return made if span is None else made.with_fields(span=span)

    def has_operator(self, operator: str) -> bool:
        """Return whether the operator set that the function is written for has an operator."""
        return has_schema(operator, self.function_opset)

    def _opset_of(self, like: Call | None) -> int:
        """Return an operator set for a module that says none: the oldest that has the calls."""
        calls = [each.value for each in self._chain if type(each.value) is Call]
        return max([self.version(each) for each in (*calls, *([like] if like else []))], default=1)

    def inline(self, func: Function, args: Sequence[Expr]) -> Expr:
        """Copy the body of a function before the call that a rule is applied to.

        Returns:
            Its result: a variable, a constant, or a tuple of these.
        """
        images: dict[Expr, Expr] = dict(zip(func.params, args, strict=True))
        tail: Expr = func.body
        while type(tail) is Let:
            image = replace_variables(tail.value, images)
            if type(image) is not Var:
                image = self.emit(tail.var.name_hint, image)
            images[tail.var] = image
            tail = tail.body
        return replace_variables(tail, images)

    # the fixed point

    def run(self) -> Function:
        """Apply the rules until none applies; return the function, itself if none did."""
        chain = self._chain
        self._limit = _ROUNDS * (len(chain.bindings) + 16)
        while chain.waiting:
            binding = chain.waiting.popleft()
            binding.is_waiting = False
            if binding is chain.end or binding.var not in chain.bindings:
                continue
            self._visit(binding)
        if not self._rewrites:
            return self.function
        return self.function.with_fields(body=chain.rebuild())

    def _visit(self, binding: Binding) -> None:
        value = binding.value
        if type(value) is Call:
            self._visit_call(binding, value)
        elif type(value) is Var:
            self._forward(binding, value)
        elif type(value) is TupleGetItem:
            whole = self.definition(value.tuple_value)
            if type(whole) is Tuple and 0 <= value.index < len(whole.fields):
                self._replace(binding, whole.fields[value.index], "projection of a tuple")

    def _visit_call(self, binding: Binding, call: Call) -> None:
        if call.attrs is not None and call.attrs.get("_graphs"):
            call = self._rewrite_graphs(binding, call)
        self._at = binding
        for rule in self._rules.find(call.op):
            found = rule.apply(call, self)
            emitted, self._emitted = self._emitted, []
            if found is None or found is call:
                for each in emitted:
                    self._chain.drop_unused(each)
                if binding.var not in self._chain.bindings:
                    return
                continue
            self._replace(binding, found, rule.name)
            for each in emitted:
                self._chain.drop_unused(each)
            return

    def _replace(self, binding: Binding, value: Expr, why: str) -> None:
        self._rewrites += 1
        if self._rewrites > self._limit:
            raise PassError(
                f"rule {why} was still applied after {self._limit} rewrites, last to "
                f"%{binding.var.name_hint if binding.var else ''}; expected an end: no rule may "
                f"undo what another does"
            )
        if type(value) is Call and value.span is None:
            value = value.with_fields(span=binding.value.span)
        if type(value) is Var:
            self._forward(binding, value)
            return
        self._chain.replace_value(binding, value)
        self._chain.enqueue(binding)
        self._enqueue_users(binding)

    def _forward(self, binding: Binding, image: Var) -> None:
        """Use what the variable of a binding is another name of in its place."""
        assert binding.var is not None
        if binding.value is not image:
            self._chain.replace_value(binding, image)
        for user in self._chain.replace_uses(binding.var, image):
            self._chain.enqueue(user)
            self._enqueue_users(user)
        self._chain.drop_unused(binding)

    def _enqueue_users(self, binding: Binding) -> None:
        """Put on the worklist what uses a binding, and what uses that: patterns are that deep."""
        users = self._chain.users
        for user in users.get(binding.var, ()) if binding.var is not None else ():
            self._chain.enqueue(user)
            for each in users.get(user.var, ()) if user.var is not None else ():
                self._chain.enqueue(each)

    # graphs

    def _rewrite_graphs(self, binding: Binding, call: Call) -> Call:
        """Rewrite the graphs of a call; drop what none of them captures any more."""
        graphs, captures = graphs_of(call), captures_of(call)
        if not all(type(each) is Function for each in graphs.values()):
            return call
        known = tuple([self._known_outside(each) for each in captures])
        seen = (*graphs.values(), *known)
        assert binding.var is not None
        if self._graphs_seen.get(binding.var) == seen:
            return call
        images: list[Function] = []
        for graph in graphs.values():
            assert type(graph) is Function
            params: tuple[Expr, ...] = graph.params[len(graph.params) - len(captures) :]
            inner = dict(zip(params, captures, strict=True))
            images.append(
                Rewriter(graph, self._rules, self._facts, self._opsets, self, inner).run()
            )
        self._graphs_seen[binding.var] = (*images, *known)
        if all(image is graph for image, graph in zip(images, graphs.values(), strict=True)):
            return call
        self._rewrites += 1
        image = drop_unused_captures(call, images)
        kept = tuple([self._known_outside(each) for each in captures_of(image)])
        self._graphs_seen[binding.var] = (*graphs_of(image).values(), *kept)
        self._chain.replace_value(binding, image)
        self._enqueue_users(binding)
        return image

    def _known_outside(self, captured: Expr) -> object:
        found = self.definition(captured)
        return found if self.constant(captured) is not None else captured


def drop_unused_captures(call: Call, graphs: Sequence[Function]) -> Call:
    """Return a call with other graphs, without the captured values that none of these uses."""
    captures = captures_of(call)
    count = len(captures)
    uses = [Chain(graph.body).users for graph in graphs]
    kept = [
        place
        for place in range(count)
        if any(
            used.get(graph.params[len(graph.params) - count + place])
            for graph, used in zip(graphs, uses, strict=True)
        )
    ]
    if len(kept) < count:
        graphs = [
            graph.with_fields(
                params=(
                    *graph.params[: len(graph.params) - count],
                    *[graph.params[len(graph.params) - count + place] for place in kept],
                )
            )
            for graph in graphs
        ]
    return with_parts(call, graphs=graphs, captures=[captures[place] for place in kept])


def replace_variables(value: Expr, images: Mapping[Expr, Expr]) -> Expr:
    """Return a flat value with other operands."""
    get = images.get
    if type(value) is Var:
        return get(value, value)
    if type(value) is Call:
        return value.with_fields(args=tuple([get(arg, arg) for arg in value.args]))
    if type(value) is Tuple:
        return value.with_fields(fields=tuple([get(each, each) for each in value.fields]))
    if type(value) is TupleGetItem:
        return value.with_fields(tuple_value=get(value.tuple_value, value.tuple_value))
    return value


def has_schema(operator: str, opset: int) -> bool:
    """Return whether version ``opset`` of ONNX's own operator set has an operator."""
    return find_schema(identify(operator, opset)) is not None


def opsets_of(func: Function, attrs: DictAttrs | None) -> Mapping[str, int]:
    """Return the version of each operator set for a function of a module with ``attrs``."""
    for held in (func.attrs, attrs):
        found = None if held is None else held.get(info.OPSETS)
        if isinstance(found, DictAttrs):
            return {
                domain: version for domain, version in found.items() if isinstance(version, int)
            }
    return {}
