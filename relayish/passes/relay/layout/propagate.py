"""Propagation of layouts through a program, operator by operator.

Each tensor is kept in the layout it has come to, and brought back to the one it had only where
somebody asks for it who does not know of layouts: a function that returns it, an operator without
a rule. An operator with a rule takes its arguments as they come, as far as it can.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, TypeAlias, cast

from relayish._support.graph import walk_tree
from relayish.errors import DeclarationError, PassError, indefinite
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Let, Op, Tuple, TupleGetItem, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.op.builders.call import attrs_of
from relayish.op.declaration.layout_rule import InferredLayouts, LayoutRule
from relayish.op.layouts.rules import layout_rule
from relayish.op.types.layout_algebra import rearranges, rename
from relayish.passes.relay.layout.arrangement import (
    LAYOUT_TRANSFORM,
    Arranged,
    Arrangement,
    Arrangements,
    Arranger,
)
from relayish.passes.relay.layout.operands import Operands, Slot, find_slots

Replace: TypeAlias = Callable[[Call, Sequence[Expr]], Expr | None]
"""``replace(call, inputs)``: the call that shall stand for ``call``, or ``None`` to leave it.

``inputs`` are its arguments in whatever layouts they come, and so the new call is to take them: one
by one, perhaps with more done to each.
"""


def propagate_layouts(expr: Expr, asked: Container[Expr], replace: Replace) -> Expr:
    """Return ``expr`` with calls replaced, and layouts carried from there as far as they go.

    Args:
        expr: An expression whose types were inferred.
        asked: The operators of which calls may be replaced; without any, nothing is done.
        replace: Asked about their calls; see :data:`Replace`.

    Returns:
        ``expr`` itself where nothing is replaced.

    Raises:
        PassError: If what stands for a call is no call of an operator with as many arguments.
        DeclarationError: If a layout rule answers what is no answer.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    order = EXPRESSIONS.post_order(expr)
    if not any(type(node) is Call and node.op in asked for node in order):
        return expr
    return _Propagation(asked, replace).run(order)


class _Propagation:
    """Rebuilds nodes over their new arguments; some in another layout than they had."""

    def __init__(self, asked: Container[Expr], replace: Replace) -> None:
        self._asked = asked
        self._replace = replace
        self._arranger = Arranger()
        self._images: dict[Node, Expr] = {}
        self._arrangements: dict[Node, Arrangements] = {}
        self._has_replaced = False
        self._restored: dict[Node, Expr] = {}

    def run(self, order: Sequence[Node]) -> Expr:
        """Return what stands for the last of ``order``, in which parts stand before wholes."""
        root = cast("Expr", order[-1])
        bound, names = _find_bound(order)
        for node in order:
            self._rewrite(node)
            if node in bound and node not in names:
                self._bind_all(bound, node)
        return cast("Expr", self._as_before(root, root)) if self._has_replaced else root

    def _rewrite(self, node: Any) -> None:  # Any: a node of any kind
        kind = type(node)
        if kind is Call and type(node.op) is Op:
            self._rewrite_call(node)
        elif kind is Tuple:
            self._rewrite_tuple(node)
        elif kind is TupleGetItem:
            self._rewrite_item(node)
        elif kind is Let and node.var in self._images:
            self._rewrite_let(node)
        else:
            self._rebuild(node)

    # What there is by now

    def _image(self, node: Expr) -> Expr:
        """Return what stands for ``node``, in the layout it has come to."""
        return self._images.get(node, node)

    def _as_before(self, node: Any, default: Any) -> Any:  # Any: nodes of any kind
        """Return what stands for ``node``, in the layout it had."""
        arrangements = self._arrangements.get(node)
        if arrangements is None:
            return self._images.get(node, default)
        found = self._restored.get(node)
        if found is None:
            found = self._arranger.restore(self._image(node), arrangements)
            self._restored[node] = found
        return found

    def _set(self, node: Expr, image: Expr, arrangements: Arrangements | None = None) -> None:
        if image is not node:
            self._images[node] = image
        if arrangements is not None:
            self._arrangements[node] = arrangements

    def _rebuild(self, node: Any) -> None:  # Any: as above
        """Put together what stands for ``node`` from its parts, all as they were."""
        self._set(node, EXPRESSIONS.rebuild[type(node)](node, self._as_before))

    # Kinds of nodes

    def _rewrite_tuple(self, tup: Tuple) -> None:
        known = [self._arrangements.get(field) for field in tup.fields]
        arranged = tuple([each if isinstance(each, Arranged) else None for each in known])
        if not any(arranged):
            self._rebuild(tup)
            return
        fields = [
            self._as_before(field, field) if each is None else self._image(field)
            for field, each in zip(tup.fields, arranged, strict=True)
        ]
        self._set(tup, tup.with_fields(fields=fields), arranged)

    def _rewrite_item(self, item: TupleGetItem) -> None:
        known = self._arrangements.get(item.tuple_value)
        arrangement = known[item.index] if isinstance(known, tuple) else None
        if arrangement is None:
            self._rebuild(item)
            return
        image = item.with_fields(tuple_value=self._image(item.tuple_value))
        self._set(item, image, arrangement)

    def _rewrite_let(self, let: Let) -> None:
        var = cast("Var", self._images[let.var])
        body = self._as_before(let.body, let.body)
        self._set(let, let.with_fields(var=var, value=self._image(let.value), body=body))

    def _bind_all(self, bound: dict[Node, list[Var]], before: Node) -> None:
        """Let variables stand for what is bound to them, and others for these."""

        def names(node: Node) -> list[Var]:
            return bound.get(node, [])

        for named in walk_tree(before, names):
            arrangements = self._arrangements.get(named)
            if arrangements is None:
                continue
            for var in names(named):
                self._set(var, _rename(var) if _has_moved(arrangements) else var, arrangements)

    # Calls of operators

    def _rewrite_call(self, call: Call) -> None:
        slots = find_slots(call, self._arrangements.get)
        if slots is None:
            self._rewrite_plain(call)
        elif call.op is LAYOUT_TRANSFORM:
            self._absorb(call, slots[0])
        else:
            self._rewrite_known(call, slots)

    def _restored_args(self, call: Call) -> list[Expr]:
        return [self._as_before(arg, arg) for arg in call.args]

    def _rewrite_plain(self, call: Call) -> None:
        """Replace a call whose arguments come as they were, and which gives what it gave."""
        args = self._restored_args(call)
        replaced = self._ask(call, args) if layout_rule(call.op) is None else None
        self._set(call, call.with_fields(args=args) if replaced is None else replaced)

    def _ask(self, call: Call, args: Sequence[Expr]) -> Call | None:
        """Return what is to stand for ``call``, with ``args`` for its arguments, if anything is."""
        found = self._replace(call, args) if call.op in self._asked else None
        if found is None:
            return None
        if type(found) is not Call or type(found.op) is not Op or len(found.args) != len(args):
            raise PassError(
                f"what stands for a call of {cast('Op', call.op).full_name} must be a call of an "
                f"operator with {len(args)} arguments; found {indefinite(type(found))}"
            )
        self._has_replaced = True
        return found

    def _absorb(self, call: Call, slot: Slot) -> None:
        """Take a change of layout as what it is: another name for how the tensor lies there.

        Of a tensor that has been moved it is no more than that. One that has not is changed here.
        """
        attrs: Any = call.attrs  # Any: those of layout_transform
        source, target = attrs.src_layout, attrs.dst_layout
        (arg,) = call.args
        if not rearranges(source, target, slot.type.shape):
            self._rewrite_plain(call)
            return
        known = slot.arrangement
        now = None if known is None else rename(known.now, known.before, source)
        if now is not None and now != source:
            self._set(call, self._image(arg), Arranged(target, now))
            return
        value = self._as_before(arg, arg)
        image = call.with_fields(args=(value,))
        self._arranger.note(value, source, target, image)
        self._set(call, image, Arranged(target, target))

    def _rewrite_known(self, call: Call, slots: Sequence[Slot]) -> None:
        """Replace a call, and let it take its arguments as they come, where its rule can tell."""
        rule = layout_rule(call.op)
        types = tuple([cast("Type", arg.checked_type) for arg in call.args])
        names = [slot.arrangement.before if slot.arrangement else None for slot in slots]
        before = None if rule is None else rule(attrs_of(call), None, names, types)
        if rule is None or before is None:
            self._rewrite_plain(call)
            return
        _check_answer(call, before, len(slots))
        images = [self._image(arg) for arg in call.args]
        operands = Operands(
            slots,
            images,
            lambda place: cast("Expr", self._as_before(call.args[place], call.args[place])),
            before.inputs,
            self._arranger,
        )
        given = operands.args()
        replaced = self._ask(call, given)
        if replaced is None or (not operands.moved and _is_same(replaced, call, given)):
            replaced = None
            if not operands.moved:
                image = call.with_fields(args=given)
                self._set_results(call, image, _match_outputs(call, before, before))
                return
        new = call if replaced is None else replaced
        after = _infer_again(rule, new, replaced is not None, operands, types)
        args = (
            None
            if after is None
            else operands.arrange(given if replaced is None else replaced.args, after.inputs)
        )
        outputs = None if after is None else _match_outputs(call, before, after)
        if after is None or args is None or outputs is None:
            self._leave(call, before, replaced, operands, types)
            return
        attrs = after.attrs
        if attrs is not None and structural_equal(attrs, attrs_of(new)):
            attrs = new.attrs
        self._set_results(call, new.with_fields(args=args, attrs=attrs, span=call.span), outputs)

    def _leave(
        self,
        call: Call,
        before: InferredLayouts,
        replaced: Call | None,
        operands: Operands,
        types: tuple[Type, ...],
    ) -> None:
        """Let a call stay that cannot take its arguments as they come; they come as they were.

        What replaces it stays, if its attributes ask for no layouts that its rule knows; then they
        name those that the arguments had.
        """
        if replaced is not None and _fixed_layouts(replaced, operands, types) is None:
            args = operands.arrange(replaced.args, [None] * len(before.inputs))
            assert args is not None  # each has the layout it had
            rule = layout_rule(replaced.op)
            had = before.inputs
            answer = None if rule is None else rule(attrs_of(replaced), had, had, types)
            attrs = replaced.attrs if answer is None or answer.attrs is None else answer.attrs
            self._set(call, replaced.with_fields(args=args, attrs=attrs))
            return
        image = call.with_fields(args=self._restored_args(call))
        self._set_results(call, image, _match_outputs(call, before, before))

    def _set_results(
        self, call: Call, image: Expr, outputs: tuple[Arrangement, ...] | None
    ) -> None:
        if outputs is None or not any(outputs):
            self._set(call, image)
        elif isinstance(call.checked_type, TupleType):
            self._set(call, image, outputs)
        else:
            self._set(call, image, outputs[0])


def _find_bound(order: Sequence[Node]) -> tuple[dict[Node, list[Var]], set[Node]]:
    """Return by value the variables that may come in other layouts, and all that lets bind.

    A variable that is bound twice, or shares its memory with another, is as it was.
    """
    lets = [node for node in order if type(node) is Let]
    names: set[Node] = set()
    fixed: set[Node] = set()
    for let in lets:
        if let.var in names:
            fixed.add(let.var)
        names.add(let.var)
    for node in order:
        if type(node) is Var and node.may_share is not None:
            fixed.update((node, node.may_share))
    bound: dict[Node, list[Var]] = {}
    for let in lets:
        if let.var not in fixed:
            bound.setdefault(let.value, []).append(let.var)
    return bound, names


def _rename(var: Var) -> Var:
    """Return a variable for a value of another type."""
    return Var(var.name_hint, virtual_device=var.virtual_device, span=var.span)


def _has_moved(arrangements: Arrangements) -> bool:
    if isinstance(arrangements, Arranged):
        return arrangements.moved
    return any(each is not None and each.moved for each in arrangements)


def _check_answer(call: Call, answer: InferredLayouts, count: int) -> None:
    found: object = answer  # still to be checked
    if not isinstance(found, InferredLayouts) or len(found.inputs) != count:
        raise DeclarationError(
            f"the layout rule of {cast('Op', call.op).full_name} answers {answer!r}; expected "
            f"InferredLayouts of {count} inputs, or None"
        )


def _infer_again(
    rule: LayoutRule, new: Call, replaced: bool, operands: Operands, types: tuple[Type, ...]
) -> InferredLayouts | None:
    """Return which layouts a call takes and gives, its arguments being what they are.

    One that was put in place of another takes those that its attributes ask for, if they do.
    """
    if not replaced:
        return rule(attrs_of(new), operands.now, operands.before, types)
    fixed, other = _fixed_layouts(new, operands, types), layout_rule(new.op)
    if fixed is not None or other is None:
        return fixed
    return other(attrs_of(new), operands.now, operands.before, types)


def _fixed_layouts(
    call: Call, operands: Operands, types: tuple[Type, ...]
) -> InferredLayouts | None:
    """Return the layouts that a call asks for, whatever its arguments come in, if it does."""
    rule = layout_rule(call.op)
    nothing = [None] * len(operands.now)
    return None if rule is None else rule(attrs_of(call), None, nothing, types)


def _is_same(one: Call, other: Call, args: Sequence[Expr]) -> bool:
    return (
        one.op is other.op
        and all(a is b for a, b in zip(one.args, args, strict=True))
        and (one.attrs is other.attrs or structural_equal(one.attrs, other.attrs))
    )


def _match_outputs(
    call: Call, before: InferredLayouts, after: InferredLayouts
) -> tuple[Arrangement, ...] | None:
    """Return in which layouts the results come, or ``None`` where they cannot have come there."""
    ty = call.checked_type
    types = ty.fields if isinstance(ty, TupleType) else (ty,)
    if not len(types) == len(before.outputs) == len(after.outputs):
        return None
    found: list[Arrangement] = []
    for each, had, has in zip(types, before.outputs, after.outputs, strict=True):
        if had is None and has is None:
            found.append(None)
            continue
        if had is None or has is None or not isinstance(each, TensorType):
            return None
        if not rearranges(had, has, each.shape):
            return None
        found.append(Arranged(had, has))
    return tuple(found)
