"""Live ranges of tensors: the steps of a function in order, and from which to which a buffer lives.

The steps are the calls, branches and uses of references that one activation of a function
evaluates, in order; branches and arms stand one after another, so a range that covers both is
longer than what any run needs. An operator makes new buffers unless it is declared to give back a
view of its first operand, or that itself. Tuples, lets and projections make none; they pass on what
they hold. A buffer lives up to the last step that uses a value which may hold on to it.

Graph form and A-normal form are walked alike: operands first, in order, each node where it is first
asked for. One that several branches share is evaluated in whichever runs first, so what it is
computed from lives as long as itself. What happens inside of functions that are called later, and
of kinds that other packages declare, is not looked at: their values hold on to all that they use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from relayish._support.graph import reachable
from relayish.analysis.aliasing import may_store, passes_places
from relayish.analysis.memory_plan.buffers import (
    NEVER,
    Buffer,
    Origin,
    Value,
    reachable_buffers,
)
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay import expr as relay
from relayish.ir.relay.adt import Constructor, Match
from relayish.ir.relay.function_attributes import RESHAPE_ONLY, is_marked, is_primitive
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.tuples import leaf_types, nest
from relayish.ir.relay.type import TensorType, Type
from relayish.ir.relay.typed import type_of
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.scoping import PROGRAM, has_scopes, operands, scope_roots, scopes
from relayish.ir.values.dtype import element_name
from relayish.op.declaration import properties, registry
from relayish.op.types.dimension import show_type


class PassedOn(NamedTuple):
    """Which of its parameters a function passes on, by number.

    Attributes:
        result: Those that its result may hold on to.
        elsewhere: Those that may be known elsewhere from then on: it may store them.
    """

    result: frozenset[int]
    elsewhere: frozenset[int]


Task: TypeAlias = tuple[Callable[[Any], None], Any]  # Any: what that takes


class LiveRanges:
    """The steps and buffers of one function; made by :meth:`run`.

    Args:
        func: A typed function.
        closed: The functions inside of it that use no variable from outside.
        passed_on: For each function that was looked at, which parameters it passes on; ``None``
            while that is not known, as in recursion.
        mod: Where functions called by name are found.
        owns_parameters: Whether the values of parameters are given away by the caller.

    Attributes:
        steps: What is evaluated, in order.
        buffers: All there are, in the order in which they come to be.
        value_of: What each node, and each variable, evaluates to.
        unplanned: The expressions that give a value in memory of which nothing is known, and why.
        calls: The steps that call another function, with that.
        sharing: The buffers of variables that may share the memory of another, with that.
        params: The values of the parameters.
    """

    def __init__(
        self,
        func: relay.Function,
        closed: set[Node],
        passed_on: dict[relay.Function, PassedOn | None],
        mod: IRModule | None,
        *,
        owns_parameters: bool,
    ) -> None:
        self.func = func
        self.owns_parameters = owns_parameters
        self.steps: list[relay.Expr] = []
        self.buffers: list[Buffer] = []
        self.value_of: dict[Node, Value] = {}
        self.unplanned: dict[relay.Expr, str] = {}
        self.calls: list[tuple[int, relay.Function]] = []
        self.sharing: list[tuple[Buffer, Buffer]] = []
        self.params: list[Value] = []
        self._closed = closed
        self._passed_on = passed_on
        self._mod = mod
        self._function_of: dict[Node, relay.Function] = {}  # of variables
        self._escaped: list[Value] = []
        self._scopes: Scopes | None = None
        self._block = OUTERMOST
        self._lazy: set[Node] = set()  # what was evaluated in a place that may not be reached
        self._taking_part: list[list[Value]] = []  # for each that is being evaluated
        self._looked_into: set[Node] = set()
        self._inner_functions: set[Node] = set()
        self._storing: set[Node] = set()  # of those looked into, what may store what it is given
        self._wanted: relay.Function | None = None
        self._stack: list[Task] = []

    def run(self) -> Iterator[relay.Function]:
        """Find all that; yield each function that is called, to be looked at first."""
        self._find_scopes()
        for param in self.func.params:
            self.value_of[param] = made = self._make(param, type_of(param), Origin.PARAMETER)
            self.params.append(made)
        self._stack.append((self._evaluate, self.func.body))
        stack = self._stack
        while stack:
            act, what = stack.pop()
            act(what)
            if self._wanted is not None:
                wanted, self._wanted = self._wanted, None
                yield wanted
        self._settle()

    def find_passed_on(self) -> PassedOn:
        """Return which parameters the function passes on, once it was looked at."""
        result, elsewhere = (
            {b.number for b in reachable_buffers(roots)}
            for roots in ([self.value_of[self.func.body]], self._escaped)
        )
        params = [{b.number for b in reachable_buffers((value,))} for value in self.params]
        return PassedOn(
            frozenset([i for i, held in enumerate(params) if held & result]),
            frozenset([i for i, held in enumerate(params) if held & elsewhere]),
        )

    # Order: operands first, each node where it is first asked for

    def _find_scopes(self) -> None:
        """Find out where nodes are evaluated, if there are several places."""
        enter = lambda node: node not in self._closed and not is_primitive(node)  # noqa: E731
        order = PROGRAM.post_order(self.func.body, enter)
        kinds = {
            kind for kind in set(map(type, order)) if has_scopes(kind) and kind is not relay.Let
        }
        if kinds:
            self._scopes = Scopes(self.func.body, enter=enter, order=order)

    def _evaluate(self, node: relay.Expr) -> None:
        known = self.value_of.get(node)
        if known is not None:
            if node in self._lazy:
                known.last = len(self.steps)  # it may be evaluated now, even if nothing reads it
                if self._taking_part:
                    self._taking_part[-1].append(known)
            return
        kind = type(node)
        if kind in ATOMS:
            self.value_of[node] = self._atom(node)
            return
        stack = self._stack
        if self._taking_part or self._is_shared_by_branches(node):
            self._begin_lazy((node,))
        begin = _BEGIN.get(kind)
        if begin is not None:
            begin(self, node)
            return
        finish = _FINISH.get(kind, LiveRanges.finish_foreign)
        stack.append((finish.__get__(self), node))
        evaluate = self._evaluate
        stack += [(evaluate, operand) for operand in reversed(operands(node))]

    def _is_shared_by_branches(self, node: relay.Expr) -> bool:
        """Return whether ``node`` is evaluated in this branch or in another that asks for it."""
        found = self._scopes
        if found is None or node not in found.lifted:
            return False
        return found.block[found.scope[node]] != self._block

    def _begin_lazy(self, roots: Sequence[Node]) -> None:
        """Take note of all that takes part in evaluating ``roots``, which may happen later."""
        self._lazy.update(roots)
        self._taking_part.append([])
        self._stack.append((self._end_lazy, roots))

    def _end_lazy(self, roots: Sequence[Node]) -> None:
        """Let what took part live as long as the roots."""
        part = Value(self._taking_part.pop())
        for root in roots:
            self.value_of[root].needed.append(part)
        if self._taking_part:
            self._taking_part[-1].append(part)

    def _set_block(self, block: int) -> None:
        self._block = block

    def begin_let(self, let: relay.Let) -> None:
        evaluate = self._evaluate
        self._stack += [
            (self._finish_let, let),
            (evaluate, let.body),
            (self._bind, let),
            (evaluate, let.value),
        ]

    def _bind(self, let: relay.Let) -> None:
        var, value = let.var, self.value_of[let.value]
        self.value_of[var] = value
        known = let.value if type(let.value) is relay.Function else self._function_of.get(let.value)
        if known is not None:
            self._function_of[var] = known
        place = var.may_share
        if place is not None and place in self.value_of:
            shared = self.value_of[place]
            if isinstance(value, Buffer) and isinstance(shared, Buffer):
                self.sharing.append((value, shared))

    def _finish_let(self, let: relay.Let) -> None:
        self.value_of[let] = self.value_of[let.body]

    def begin_if(self, branch: relay.If) -> None:
        self._stack += [(self._enter, branch), (self._evaluate, branch.cond)]

    def begin_match(self, match: Match) -> None:
        self._stack += [(self._enter, match), (self._evaluate, match.data)]

    def _enter(self, node: relay.If | Match) -> None:
        """Evaluate the branches one after another, where what decides is known."""
        taken = self.value_of[node.cond if isinstance(node, relay.If) else node.data]
        self._add_step(node, (taken,))
        assert self._scopes is not None
        for scope in scopes(node):
            for var in scope.binders:
                self.value_of[var] = Value((taken,))
        opened = self._scopes.opened[node]
        self._stack += [(self._leave, node), (self._set_block, self._block)]
        for root, inner in zip(scope_roots(node)[::-1], opened[::-1], strict=True):
            self._stack.append((self._evaluate, root))
            self._stack.append((self._set_block, self._scopes.block[inner]))

    def _leave(self, node: relay.If | Match) -> None:
        self.value_of[node] = Value([self.value_of[root] for root in scope_roots(node)])

    # What is evaluated inside of functions, and of kinds of other packages

    def begin_function(self, func: relay.Function) -> None:
        if func in self._closed or is_primitive(func):
            self.value_of[func] = Value()
            return
        self._inner_functions.add(func)
        self._look_into(func, Value())

    def _look_into(self, node: relay.Expr, value: Value) -> None:
        """Note that ``value`` holds on to all that ``node`` uses inside and that is known here."""
        assert self._scopes is not None
        seen, value_of, scope_of = self._looked_into, self.value_of, self._scopes.scope
        around, find_common = scope_of.get(node, OUTERMOST), self._scopes.tree.find_common_ancestor
        outside: list[Node] = []
        pending = list(scope_roots(node))
        while pending:
            inner = pending.pop()
            if inner in value_of:
                value.held.append(value_of[inner])
                continue
            if inner in seen or type(inner) in ATOMS:
                continue
            if inner in self._scopes.lifted:
                own = scope_of[inner]
                if find_common(own, around) == own:
                    outside.append(inner)
                    continue
            seen.add(inner)
            pending += EXPRESSIONS.children(inner)
            if may_store(inner):
                self._storing.add(node)
        if node in self._storing and type(node) is not relay.Function:
            self._escaped.append(value)  # of functions, where they are called
        self._stack.append((self._define_captured, (node, value, outside)))
        if outside:  # they are evaluated where one of the functions that use them is called
            self._begin_lazy(outside)
            self._stack += [(self._evaluate, each) for each in outside]

    def _define_captured(self, what: tuple[relay.Expr, Value, list[Node]]) -> None:
        node, value, outside = what
        value.held += [self.value_of[each] for each in outside]
        self.value_of[node] = value

    def finish_foreign(self, node: relay.Expr) -> None:
        taken = [self.value_of[operand] for operand in operands(node)]
        self._add_step(node, taken)
        value = Value(taken)
        self.unplanned[node] = f"what memory a {type(node).__name__} takes is not known"
        if node.traits_.effect & ~Effect.READS:
            self._escaped.append(value)
        if has_scopes(type(node)):
            self._look_into(node, value)
        else:
            self.value_of[node] = value

    # What nodes evaluate to

    def _atom(self, node: Node) -> Value:
        if isinstance(node, relay.Constant) and isinstance(node.data, (np.ndarray, np.generic)):
            ty = TensorType(node.data.shape, element_name(node.data.dtype))
            return self._make(node, ty, Origin.CONSTANT)
        return Value()  # a name, or a variable that is bound elsewhere

    def _add_step(self, node: relay.Expr, used: Iterable[Value]) -> None:
        at = len(self.steps)
        self.steps.append(node)
        used = list(used)
        for value in used:
            value.last = at
        if self._taking_part:
            self._taking_part[-1] += used

    def _make(self, expr: relay.Expr, ty: Type, origin: Origin) -> Value:
        """Return new buffers for a value of type ``ty``, each field of a tuple apart."""
        born = NEVER if origin in (Origin.PARAMETER, Origin.CONSTANT) else len(self.steps) - 1
        made: list[Value] = []
        for index, leaf in enumerate(leaf_types(ty)):
            if isinstance(leaf, TensorType):
                buffer = Buffer(expr, index, leaf, origin, born, len(self.buffers))
                self.buffers.append(buffer)
                made.append(buffer)
                if self._taking_part:
                    self._taking_part[-1].append(buffer)
                if buffer.size is None:
                    self.unplanned[expr] = f"the size of {show_type(leaf)} is not known"
            else:
                made.append(Value())
                self.unplanned[expr] = f"{show_type(leaf)} is no tensor"
        return nest(ty, made, lambda fields: Value(fields, fields))

    def finish_call(self, call: relay.Call) -> None:
        op = call.op
        callee = None if type(op) is relay.Op else self._find_callee(op)
        if callee is not None and callee not in self._passed_on:
            self._stack.append((self.finish_call, call))
            self._wanted = callee
            return
        args = [self.value_of[arg] for arg in call.args]
        self._add_step(call, args)
        if type(op) is relay.Op:
            value = self._call_operator(call, op, args)
        elif type(op) is Constructor:
            value = Value(args)
        elif (kernel := self._find_kernel(op)) is not None:
            is_view = is_marked(kernel, RESHAPE_ONLY)
            value = Value(args) if is_view else self._make(call, type_of(call), Origin.LOCAL)
        else:
            value = self._call_function(call, callee, args)
        self.value_of[call] = value

    def _call_operator(self, call: relay.Call, op: relay.Op, args: list[Value]) -> Value:
        if args and (op in properties.view or op in properties.mark):
            return args[0]
        is_known = registry.is_registered(op)
        if is_known and op not in properties.non_computational:
            return self._make(call, type_of(call), Origin.LOCAL)
        self.unplanned[call] = f"what memory {op.full_name} takes is not known"
        return Value(args)

    def _call_function(
        self, call: relay.Call, callee: relay.Function | None, args: list[Value]
    ) -> Value:
        """Return what a call of a function gives: new buffers, or what it may pass on."""
        passed_on = None if callee is None else self._passed_on[callee]
        if callee is None or passed_on is None:
            called = self.value_of[call.op]
            called.last = len(self.steps) - 1
            self.unplanned[call] = "its memory is allocated by what is called, which is not known"
            value = Value([called, *args])
            func = self._find_function(call.op)
            is_harmless = func in self._inner_functions and func not in self._storing
            if not is_harmless and (type(call.op) is not relay.GlobalVar or passes_places(call)):
                self._escaped.append(value)
            return value
        self.calls.append((len(self.steps) - 1, callee))
        value = self._make(call, type_of(call), Origin.LOCAL)
        value.held += [args[index] for index in sorted(passed_on.result)]
        self._escaped += [args[index] for index in sorted(passed_on.elsewhere)]
        return value

    def _find_kernel(self, op: relay.Expr) -> relay.Function | None:
        """Return the function that stands for one operator, if ``op`` is such."""
        func = self._find_function(op)
        return func if func is not None and is_primitive(func) else None

    def _find_function(self, op: relay.Expr) -> relay.Function | None:
        if type(op) is relay.Function:
            return op
        if type(op) is relay.GlobalVar:
            found = None if self._mod is None or op not in self._mod else self._mod[op]
            return found if isinstance(found, relay.Function) else None
        return self._function_of.get(op)

    def _find_callee(self, op: relay.Expr) -> relay.Function | None:
        """Return the function that is called, if that is known and to be looked at."""
        func = None if type(op) is Constructor else self._find_function(op)
        if func is None or is_primitive(func):
            return None
        return func if func in self._closed or type(op) is relay.GlobalVar else None

    def finish_tuple(self, tup: relay.Tuple) -> None:
        fields = tuple([self.value_of[field] for field in tup.fields])
        self.value_of[tup] = Value(fields, fields)

    def finish_field(self, get: relay.TupleGetItem) -> None:
        whole = self.value_of[get.tuple_value]
        if whole.fields is not None and 0 <= get.index < len(whole.fields):
            self.value_of[get] = whole.fields[get.index]
        else:
            self.value_of[get] = Value((whole,))

    def finish_ref(self, node: relay.RefCreate | relay.RefRead) -> None:
        held = tuple([self.value_of[operand] for operand in operands(node)])
        self._add_step(node, held)
        self.value_of[node] = Value(held)

    def finish_write(self, write: relay.RefWrite) -> None:
        ref, value = self.value_of[write.ref], self.value_of[write.value]
        self._add_step(write, (ref,))
        self._escaped.append(value)
        self.value_of[write] = Value()

    # Until when buffers live

    def _settle(self) -> None:
        """Let all that a value holds on to live as long as itself."""
        end = len(self.steps)
        outliving = [self.value_of[self.func.body], *self._escaped]
        for value in outliving:
            value.last = end
        for buffer in reachable_buffers(outliving):
            if buffer.origin is Origin.LOCAL:
                buffer.origin = Origin.RESULT
        settled: set[Value] = set()
        values = {*self.value_of.values(), *self.buffers, *outliving}
        used = [value for value in values if value.last != NEVER]
        for root in sorted(used, key=lambda value: -value.last):
            for value in reachable([root], lambda value: [*value.held, *value.needed], settled):
                value.last = root.last
        for buffer in self.buffers:
            buffer.last = max(buffer.last, buffer.born)


_Handler: TypeAlias = Callable[[LiveRanges, Any], None]  # Any: nodes of one kind
_BEGIN: Final[dict[type[Node], _Handler]] = {
    relay.Let: LiveRanges.begin_let,
    relay.If: LiveRanges.begin_if,
    Match: LiveRanges.begin_match,
    relay.Function: LiveRanges.begin_function,
}
_FINISH: Final[dict[type[Node], _Handler]] = {
    relay.Call: LiveRanges.finish_call,
    relay.Tuple: LiveRanges.finish_tuple,
    relay.TupleGetItem: LiveRanges.finish_field,
    relay.RefCreate: LiveRanges.finish_ref,
    relay.RefRead: LiveRanges.finish_ref,
    relay.RefWrite: LiveRanges.finish_write,
}
