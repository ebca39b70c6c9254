"""Data-flow analysis of tensors of zeros or ones that need not be made yet.

Every expression has a slot. Where a tensor goes from one place to another as it is, an *edge* leads
from its slot to that of the other place, and on the way it may be put into a cell or taken out; so
may the fields of a tuple of tensors that an operator or caller is to see. Whatever else goes
somewhere keeps its slot. A tensor is a cell where two things hold: zeros or ones
may come there along edges, and from there they may go to a sum or product that profits from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import or_
from typing import Final, NamedTuple

from relayish._support.graph import reachable, walk_tree
from relayish.dataflow.solver.propagate import propagate
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.relay import adt
from relayish.ir.relay import expr as relay
from relayish.ir.relay.function_attributes import is_composite, is_fused
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, TensorType, Type, TypeCall
from relayish.ir.scopes.scoping import binders, evaluated, variables_in
from relayish.pass_infra import is_skipped
from relayish.passes.relay.gradient.lazy_gradient.operators import (
    COMBINED,
    Known,
    initialises,
    is_overloaded,
    passes_on,
)
from relayish.passes.relay.gradient.lazy_gradient.slots import CONTENT, FIXED, RESULT, Slots
from relayish.passes.relay.gradient.lazy_gradient.types import Instances, is_cell_header, is_flat

_PATTERNS: Final = frozenset(
    {adt.PatternConstructor, adt.PatternTuple, adt.PatternVar, adt.PatternWildcard}
)


class Combination(NamedTuple):
    """A sum or product, by slots."""

    call: relay.Call
    lhs: int
    rhs: int
    result: int


class Flow:
    """What goes where in one function of a module.

    Args:
        func: A typed function.
        order: Its nodes, children before parents.
        mod: The module, for the types of its functions and data.

    Attributes:
        slots: The slots of all that is in the function.
        params: For calls of what is no operator, the slots of the parameters.
        instances: For calls with type arguments, the slots of these.
        combinations: The sums and products that may profit.

    Complexity:
        Almost linear in the distinct nodes, and in the sizes of types of functions with type
        parameters for each call of them; no recursion.
    """

    def __init__(self, func: relay.Function, order: Sequence[Node], mod: IRModule) -> None:
        self.slots = Slots()
        self.params: dict[Node, list[int]] = {}
        self.instances: dict[Node, list[int]] = {}
        self.combinations: list[Combination] = []
        self.seeds: list[tuple[int, Known]] = []
        self.edges: list[tuple[int, int]] = []
        self._of: dict[Node, int] = dict.fromkeys((func, *func.params), FIXED)
        self._mod = mod
        self._types = Instances(self.slots)
        self._opaque = _find_kernel_nodes(order)
        for node in reversed(order):  # what is to be seen from outside is known first
            self._note(node)

    def _note(self, node: Node) -> None:
        """Note what ``node`` does with the values below it; of other kinds, nothing is known."""
        match node:
            case relay.Call():
                self._call(node)
            case adt.Clause():
                self._goes(node.rhs, self.slot(node))
            case relay.Function():
                self._function(node)
            case relay.If():
                self._goes(node.true_branch, self.slot(node))
                self._goes(node.false_branch, self.slot(node))
            case relay.Let():
                self._let(node)
            case adt.Match():
                self._match(node)
            case relay.RefCreate():
                self._goes(node.value, self._content(node))
            case relay.RefRead():
                self.slots.unify(self.slot(node), self._content(node.ref))
            case relay.RefWrite():
                self._goes(node.value, self._content(node.ref))
            case relay.Tuple():
                for index, field in enumerate(node.fields):
                    self._goes(field, self.slots.child(self.slot(node), index))
            case relay.TupleGetItem():
                field_slot = self.slots.child(self.slot(node.tuple_value), node.index)
                self.slots.unify(self.slot(node), field_slot)
            case relay.Expr() if type(node) not in ATOMS:
                self._note_other(node)

    def _content(self, ref: relay.Expr) -> int:
        """Return the slot of what is in a reference."""
        return self.slots.child(self.slot(ref), CONTENT)

    def slot(self, node: Node) -> int:
        """Return the slot of an expression or clause."""
        if type(node) in ATOMS and type(node) not in VARIABLES:
            return FIXED
        found = self._of.get(node)
        if found is None:
            found = self._of[node] = self.slots.make_slot()
        return found

    def _goes(self, expr: relay.Expr, slot: int) -> None:
        """Note that the value of ``expr`` goes to ``slot``."""
        if type(expr.checked_type) is TensorType:
            self.edges.append((self.slot(expr), slot))
        elif self.slots.find(slot) != FIXED or not is_flat(expr.checked_type):
            self.slots.unify(self.slot(expr), slot)

    # What each kind of node does with the values below it

    def _let(self, let: relay.Let) -> None:
        """Note that the variable is the value."""
        self.slots.unify(self.slot(let.var), self.slot(let.value))
        self._goes(let.body, self.slot(let))

    def _note_other(self, node: relay.Expr) -> None:
        """Note that nodes of other kinds take and return what was made, and so do their scopes."""
        for held in evaluated(node):
            if isinstance(held, relay.Expr) and type(held.checked_type) is not TensorType:
                self._goes(held, FIXED)
        for bound in (node, *binders(node)):
            self.slots.unify(self.slot(bound), FIXED)

    def _function(self, func: relay.Function) -> None:
        """Note what comes in by the parameters, and what goes out."""
        slot = self.slot(func)
        if func in self._opaque:
            self.slots.unify(slot, FIXED)
        for index, param in enumerate(func.params):
            self.slots.unify(self.slots.child(slot, index), self.slot(param))
        self._goes(func.body, self.slots.child(slot, RESULT))

    def _match(self, match: adt.Match) -> None:
        """Note what patterns bind, and that the result is that of one of the arms."""
        data, result = self.slot(match.data), self.slot(match)
        for clause in match.clauses:
            self.slots.unify(self.slot(clause), result)
            self._bind(clause.lhs, data)

    def _bind(self, pattern: adt.Pattern, slot: int) -> None:
        for part, place in walk_tree((pattern, slot), self._parts):
            if isinstance(part, adt.PatternVar):
                self.slots.unify(self.slot(part.var), place)
            elif type(part) not in _PATTERNS:  # of another kind, which knows nothing of cells
                self.slots.unify(place, FIXED)
                for var in variables_in(part):
                    self.slots.unify(self.slot(var), FIXED)

    def _parts(self, placed: tuple[adt.Pattern, int]) -> list[tuple[adt.Pattern, int]]:
        """Return the patterns inside one, and the slots of what they match."""
        pattern, slot = placed
        if isinstance(pattern, adt.PatternTuple):
            return [(part, self.slots.child(slot, i)) for i, part in enumerate(pattern.patterns)]
        if not isinstance(pattern, adt.PatternConstructor) or not pattern.patterns:
            return []
        func = self._constructor_type(pattern.constructor)
        pairs = enumerate(func.type_params)
        known: dict[Type, int] = {v: self.slots.child(slot, i) for i, v in pairs}
        if is_cell_header(pattern.constructor.belong_to):
            known = dict.fromkeys(known, FIXED)
        typed = zip(pattern.patterns, func.arg_types, strict=True)
        return [(part, self._types.instance(ty, FIXED, known)) for part, ty in typed]

    def _call(self, call: relay.Call) -> None:
        """Note what goes to parameters, and what comes back."""
        if isinstance(call.op, relay.Op):
            self._operation(call)
            return
        ty, slot = self._callee_type(call.op), self.slot(call.op)
        if not isinstance(ty, FuncType):
            for arg in call.args:
                self._goes(arg, FIXED)
            self.slots.unify(self.slot(call), FIXED)
            return
        if ty.type_params:
            self._instance(call, ty, slot)
            return
        params = [self.slots.child(slot, index) for index in range(len(call.args))]
        self._note_call(call, params, self.slots.child(slot, RESULT))

    def _instance(self, call: relay.Call, ty: FuncType, slot: int) -> None:
        """Note a call of what has type parameters, which stand for something else each time."""
        fresh = [self.slots.make_slot() for _ in ty.type_params]
        known: dict[Type, int] = dict(zip(ty.type_params, fresh, strict=True))
        self.instances[call] = fresh
        params = [
            self._types.instance(part, self.slots.child(slot, index), known)
            for index, part in enumerate(ty.arg_types)
        ]
        result = self._types.instance(ty.ret_type, self.slots.child(slot, RESULT), known)
        self._note_call(call, params, result)

    def _note_call(self, call: relay.Call, params: list[int], result: int) -> None:
        self.params[call] = params
        for arg, param in zip(call.args, params, strict=True):
            self._goes(arg, param)
        self.slots.unify(self.slot(call), result)

    def _operation(self, call: relay.Call) -> None:
        """Note a call of an operator, which takes and returns tensors that were made."""
        for arg in call.args:
            if type(arg.checked_type) is not TensorType:
                self._goes(arg, FIXED)
        if call in self._opaque:
            self.slots.unify(self.slot(call), FIXED)
            return
        known = initialises(call)
        if known:
            self.seeds.append((self.slot(call), known))
        elif is_overloaded(call):
            lhs, rhs = map(self.slot, call.args)
            self.combinations.append(Combination(call, lhs, rhs, self.slot(call)))
        elif passes_on(call):
            self._goes(call.args[0], self.slot(call))
        else:
            self.slots.unify(self.slot(call), FIXED)

    def _callee_type(self, callee: relay.Expr) -> Type | None:
        if isinstance(callee, adt.Constructor):
            return self._constructor_type(callee)
        if isinstance(callee, relay.GlobalVar):
            definition = self._mod[callee] if callee.name_hint in self._mod else None
            return definition.checked_type if isinstance(definition, relay.Expr) else None
        return callee.checked_type

    def _constructor_type(self, constructor: adt.Constructor) -> FuncType:
        data = self._mod.type_definitions[constructor.belong_to]
        made = TypeCall(constructor.belong_to, data.type_vars)
        return FuncType(constructor.inputs, made, data.type_vars)


def _find_kernel_nodes(order: Sequence[Node]) -> set[Node]:
    """Return the functions that are left alone, and what is in them."""
    kernels = [node for node in order if isinstance(node, relay.Function) and _is_kernel(node)]
    return set(EXPRESSIONS.post_order(kernels))


def _is_kernel(func: relay.Function) -> bool:
    return is_skipped(func) or is_composite(func) or is_fused(func)


class Choice(NamedTuple):
    """What becomes a cell, and what combines cells.

    Attributes:
        cells: The slots, each standing for all that are the same.
        calls: The sums and products.
    """

    cells: frozenset[int]
    calls: frozenset[Node]


def choose(flow: Flow) -> Choice:
    """Return the tensors that are cells: those that may be zeros or ones and are worth it.

    Complexity:
        Almost linear in slots, edges and combinations; no recursion.
    """
    find = flow.slots.find
    after: dict[int, list[int]] = {}
    before: dict[int, list[int]] = {}
    for source, target in flow.edges:
        after.setdefault(find(source), []).append(find(target))
        before.setdefault(find(target), []).append(find(source))
    operations: dict[int, list[Combination]] = {}
    for one in flow.combinations:
        for operand in {find(one.lhs), find(one.rhs)}:
            operations.setdefault(operand, []).append(one)
    known: dict[int, Known] = {}

    def following(slot: int) -> list[tuple[int, Known]]:
        passed = [(target, known[slot]) for target in after.get(slot, ())]
        combined = operations.get(slot, ())
        passed += [(find(one.result), _combine(flow, known, one)[1]) for one in combined]
        return _of_cells(passed)

    propagate(known, _of_cells([(find(slot), what) for slot, what in flow.seeds]), following, or_)
    paying = [one for one in flow.combinations if _combine(flow, known, one)[0]]
    wanted = [find(slot) for one in paying for slot in (one.lhs, one.rhs)]
    useful = reachable(
        filter(known.__contains__, wanted),
        lambda slot: filter(known.__contains__, before.get(slot, ())),
    )
    return Choice(frozenset(useful), frozenset([one.call for one in paying]))


def _of_cells(passed: list[tuple[int, Known]]) -> list[tuple[int, Known]]:
    """Return what is passed to slots that may be cells, where that is anything."""
    return [(slot, what) for slot, what in passed if slot != FIXED and what]


def _combine(flow: Flow, known: dict[int, Known], one: Combination) -> tuple[bool, Known]:
    """Return whether a combination profits, and what it may be."""
    lhs, rhs = (known.get(flow.slots.find(slot), Known.NOTHING) for slot in (one.lhs, one.rhs))
    return COMBINED[one.call.op](lhs, rhs)
