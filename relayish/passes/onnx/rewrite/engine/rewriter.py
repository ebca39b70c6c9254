"""The rewriter: a function as rules see it, and the fixed point of applying them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from relayish.errors import PassError, RuleWarning
from relayish.interpreter.constant_call import Room
from relayish.ir.nodes.span import name_of_span
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Tuple, TupleGetItem, Var
from relayish.onnx import info
from relayish.onnx.calls import captures_of, graphs_of, make_call
from relayish.onnx.operator_sets import identify
from relayish.onnx.operators import find_operator
from relayish.passes.onnx.rewrite.engine.constants import array_of, room_of
from relayish.passes.onnx.rewrite.engine.equal_constants import find_equal_constants
from relayish.passes.onnx.rewrite.engine.facts import FactSource
from relayish.passes.onnx.rewrite.engine.names import Names
from relayish.passes.onnx.rewrite.engine.notes import merge_notes
from relayish.passes.onnx.rewrite.engine.parts import (
    drop_unused_captures,
    has_schema,
    replace_variables,
)
from relayish.passes.onnx.rewrite.engine.rules import OnnxRules
from relayish.passes.onnx.rewrite.engine.scope import Scope
from relayish.passes.onnx.rewrite.engine.written import find_fault
from relayish.rewriting.relay.chain import Binding, keep_chain
from relayish.rewriting.rule import Rule

_ROUNDS: Final = 64
"""How many rewrites a binding may cause on average, before rules are said to undo one another."""

_MOST_INLINED: Final = 1_000_000
"""How many nodes are copied from functions to where these are called."""


_DEPTH: Final = 2
"""How far behind what changed rules are applied again: patterns are that deep."""


class First(NamedTuple):
    """What is done to a function, and to graphs in it, before any rule is applied.

    Attributes:
        merge_constants: Whether equal constants get one variable.
        drop_unused: Whether what nothing uses is dropped.
    """

    merge_constants: bool = False
    drop_unused: bool = False


_NOTHING_FIRST: Final = First()


class Rewriter(Scope):
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
        first: What is done before any rule is applied.
    """

    def __init__(
        self,
        func: Function,
        rules: OnnxRules,
        facts: FactSource,
        opsets: Mapping[str, int],
        outer: Rewriter | None = None,
        captured: Mapping[Expr, Expr] | None = None,
        *,
        first: First = _NOTHING_FIRST,
    ) -> None:
        super().__init__(func, facts, opsets, outer, captured)
        self._rules = rules
        self._select = rules.selector(Call)
        self._first = first
        self._names: Names = Names(func) if outer is None else outer._names  # noqa: SLF001
        self._at: Binding = self._chain.end
        self._emitted: list[Binding] = []
        self._copied: set[Binding] = set()  # of those, what is as the model had it
        self._graphs_seen: dict[Expr, tuple[object, ...]] = {}
        self._absorbed: dict[Var, list[Var]] = {}
        self._has_notes = func.attrs is not None and info.NODES in func.attrs
        self._rewrites = 0
        self._limit = 0
        self._inlined = 0
        self._room: Room | None = None
        self._sound: tuple[object, ...] = ()  # what a rule found to be without fault

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
        span = at.value.span
        if type(value) is Call and span is not None and value.span in (None, span):
            # names of nodes are unique: the call before which this one stands keeps its own
            named = span._replace(source_name=var.name_hint) if name_of_span(span) else span
            value = value.with_fields(span=named)
        self._emitted.append(self._chain.insert(var, value, at))
        return var

    def rebind(self, images: Mapping[Var, Expr], why: str) -> None:
        """Bind other variables of the function, which are used, to the same values found otherwise.

        A rule that rewrites several calls at once does it by this, and returns ``None``.

        Args:
            images: For each variable a call; what that uses is bound before the variable.
            why: The name of the rule.
        """
        pairs = [(self._chain.bindings[var], value) for var, value in images.items()]
        if all(self._may_become(*each, why) for each in pairs):
            for binding, value in pairs:
                self.rebound.append((binding.value, value))
                self._replace(binding, value, why)

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
        version = self.opset(domain) if domain else self.function_opset
        identity = identify(operator, version or 1, domain)
        op = find_operator(identity.name, identity.since_version, identity.domain)
        made = make_call(op, inputs, attributes, outputs=outputs)
        span = None if like is None else like.span
        return made if span is None else made.with_fields(span=span)

    def has_operator(self, operator: str) -> bool:
        """Return whether the operator set that the function is written for has an operator."""
        return has_schema(operator, self.function_opset)

    def inline(self, func: Function, args: Sequence[Expr]) -> Expr:
        """Copy the body of a function before the call that a rule is applied to.

        Returns:
            Its result: a variable, a constant, or a tuple of these.

        Raises:
            PassError: If more was copied than :data:`_MOST_INLINED`: functions that call others
                twice, which do so too, become twice as long with each.
        """
        before = len(self._emitted)
        images: dict[Expr, Expr] = dict(zip(func.params, args, strict=True))
        tail: Expr = func.body
        while type(tail) is Let:
            image = replace_variables(tail.value, images)
            if type(image) is not Var:
                image = self.emit(tail.var.name_hint, image)
                self._copied.add(self._emitted[-1])
            images[tail.var] = image
            tail = tail.body
        copied = len(self._emitted) - before
        self._limit += _ROUNDS * copied  # what stands there now is rewritten as well
        self._inlined += copied
        if self._inlined > _MOST_INLINED:
            raise PassError(
                f"functions would become more than {_MOST_INLINED:,} nodes where they are called, "
                f"last at %{self.current.name_hint}; leave out the pass that puts them there"
            )
        return replace_variables(tail, images)

    def room(self, size_limit: int) -> Room:
        """Return how large what is folded may be, in the function and in graphs of it together."""
        if self.outer is not None:
            assert isinstance(self.outer, Rewriter)
            return self.outer.room(size_limit)
        if self._room is None:
            self._room = room_of(self.function, size_limit)
        return self._room

    # the fixed point

    def run(self) -> Function:
        """Apply the rules until none applies; return the function, itself if none did."""
        chain = self._chain
        self._limit = _ROUNDS * (len(chain.bindings) + 16)
        if self._first.drop_unused:
            self._rewrites += chain.drop_all_unused()
        if self._first.merge_constants:
            self._forward_equal_constants()
        while chain.waiting:
            binding = chain.take_waiting()
            if binding is chain.end or binding.var not in chain.bindings:
                continue
            self._visit(binding)
        image = self.function
        if self._rewrites:
            image = image.with_fields(body=chain.rebuild())
            image = merge_notes(image, self._absorbed)
        if self.outer is None:
            self._facts.keep(image, chain)
        keep_chain(image, chain)
        return image

    def _forward_equal_constants(self) -> None:
        """Use the first of several equal constants instead of the others, but for results."""
        constants = [
            (each.var, array_of(each.value.data))
            for each in self._chain
            if type(each.value) is Constant and each.var is not None
        ]
        kept = [(var, array) for var, array in constants if array is not None]
        for var, first in find_equal_constants(kept):
            if self._chain.users.get(var) and not self.is_result(var):
                self._rewrites += 1
                self._forward(self._chain.bindings[var], first)

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
        if self.is_open(call):
            return
        for rule in self._select(call):
            self.pre = call
            found = rule.ask(call, self)
            if found is call or not self._may_become(binding, found, rule.name):
                found = None
            emitted, self._emitted, self._sound = self._emitted, [], ()
            self._copied.clear()
            if found is None:
                for each in reversed(emitted):
                    self._chain.drop_unused(each, wakes=False)
                if binding.var not in self._chain.bindings:
                    return
                continue
            self._replace(binding, found, rule.name)
            for each in emitted:
                self._chain.drop_unused(each)
            return

    def find_fault(self, value: Expr) -> str | None:
        """Return why the call that a rule is applied to cannot become ``value``, if it cannot.

        What was emitted for it is looked at too: it has to be as the schemas of its operators say.
        """
        return self._find_fault(self._at, value)

    def tell_refusal(self, rule: Rule, before: Call, after: Expr) -> str | None:  # noqa: ARG002
        """Return why the call cannot become what a rule wrote, as :meth:`find_fault` does."""
        fault = self.find_fault(after)
        return None if fault is None else f"what it writes is not defined: {fault}"

    def _find_fault(self, binding: Binding, value: Expr) -> str | None:
        assert binding.var is not None
        asked = (binding, value, len(self._emitted), self._rewrites)
        if asked == self._sound:
            return None
        written = [each.value for each in self._emitted if each not in self._copied]
        fault = find_fault(binding.var, value, self, written)
        if fault is None:
            self._sound = asked
        return fault

    def _may_become(self, binding: Binding, value: Expr, why: str) -> bool:
        """Return whether what a rule wrote is defined; warn of it if it is not."""
        fault = self._find_fault(binding, value)
        if fault is not None:
            assert binding.var is not None
            warnings.warn(
                f"the rule {why} is not applied to %{binding.var.name_hint}: what it writes is not "
                f"defined: {fault}",
                RuleWarning,
                stacklevel=2,
            )
        return fault is None

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
        self._chain.dropped.clear()
        self._chain.replace_value(binding, value)
        if self._has_notes and type(value) is Call and binding.var is not None:
            self._absorb(binding.var)
        self._chain.enqueue(binding, _DEPTH)

    def _absorb(self, var: Var) -> None:
        """Note that what was dropped last is part of what ``var`` is bound to now."""
        gone = self._absorbed.get(var, [])
        for each in self._chain.dropped:
            earlier = self._absorbed.pop(each, [])
            earlier.append(each)
            gone, fewer = sorted((gone, earlier), key=len, reverse=True)
            gone += fewer
        if gone:
            self._absorbed[var] = gone

    def _forward(self, binding: Binding, image: Var) -> None:
        """Use what the variable of a binding is another name of in its place."""
        assert binding.var is not None
        if binding.value is not image:
            self._chain.replace_value(binding, image)
        for user in self._chain.replace_uses(binding.var, image):
            self._chain.enqueue(user, _DEPTH)
        self._chain.drop_unused(binding)

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
                Rewriter(
                    graph,
                    self._rules,
                    self._facts,
                    self._opsets,
                    self,
                    inner,
                    first=self._first,
                ).run()
            )
        self._graphs_seen[binding.var] = (*images, *known)
        if all(image is graph for image, graph in zip(images, graphs.values(), strict=True)):
            return call
        self._rewrites += 1
        image = drop_unused_captures(call, images)
        kept = tuple([self._known_outside(each) for each in captures_of(image)])
        self._graphs_seen[binding.var] = (*graphs_of(image).values(), *kept)
        self._chain.replace_value(binding, image)
        self._chain.enqueue_users(binding, _DEPTH - 1)
        return image

    def _known_outside(self, captured: Expr) -> object:
        found = self.definition(captured)
        return found if self.constant(captured) is not None else captured
