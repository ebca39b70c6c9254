"""Definite assignment of memory: buffers whose elements are all stored before one is read.

Of these a function need not note which elements hold something. A statement *fills* boxes of a
buffer: in each dimension the elements from one place on up to another, both of them so far from
where variables of loops around tell. A store fills one element; a loop moves boxes, and what is
side by side becomes one; a branch fills what both of its arms fill; a call fills what the function
fills that is called. After statements that fill a box, others of their block may use that box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.analysis.regions.elements import body_of_element
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import LT, Div, Expr, Mod, integer_of
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor, Var
from relayish.tir.substitution import substitute


class Span(NamedTuple):
    """Elements of a dimension, one behind the other.

    Attributes:
        place: What tells where they are: multiples of variables.
        low: The first, counted from there.
        high: The one behind the last; ``None``: there is none, they are all that there are.
    """

    place: frozenset[tuple[Node, int]]
    low: int
    high: int | None


Box: TypeAlias = tuple[Span, ...]

_ALL: Final = Span(frozenset(), 0, None)

_Images: TypeAlias = dict[Var, Expr]

Fills: TypeAlias = Callable[[Call, Buffer], bool]
"""Whether a call stores each element of a buffer before it reads one."""


class Users:
    """Which buffers nodes use, found once of each node that is asked about."""

    __slots__ = ("_children", "_used")

    def __init__(self) -> None:
        self._used: dict[Node, frozenset[Node]] = {}
        self._children: dict[Node, dict[Node, list[Node]]] = {}

    def uses(self, root: Node, buffer: Buffer) -> bool:
        """Return whether a node, or what computes elements of inline tensors in it, uses a buffer.

        Complexity:
            Constant, but for the first time, when it is linear in the size of ``root``.
        """
        return buffer in self._used_in(root)

    def children(self, node: Node, buffer: Buffer) -> Sequence[Node]:
        """Return the children of a node that use a buffer, in order.

        Complexity:
            Constant, but for the first time, when it is linear in the size of ``node``.
        """
        found = self._children.get(node)
        if found is None:
            found = self._children[node] = {}
            for child in PROGRAM.children(node):
                for each in self._used_in(child):
                    found.setdefault(each, []).append(child)
        return found.get(buffer, ())

    def _used_in(self, root: Node) -> frozenset[Node]:
        found = self._used.get(root)
        if found is None:
            reached = [each for each in nodes_reached(root) if isinstance(each, Buffer)]
            found = self._used[root] = frozenset(reached)
        return found


class _Known(NamedTuple):
    """What is known of a program.

    Attributes:
        fills: What calls fill.
        users: Which buffers statements use.
    """

    fills: Fills
    users: Users


_DEEPEST: Final = 200
"""How deep statements may stand in one another to be looked into."""


def stored_first(func: LoweredFunc, fills: Fills) -> frozenset[Buffer]:
    """Return the temporaries of a function of which each element is stored before it is read.

    What is not returned may be so as well.

    Args:
        func: The function.
        fills: What is known of the functions that it calls.

    Complexity:
        Linear in the size of the function, and the depth of its loops.
    """
    temps, users = _plain(func, func.temp_bufs), Users()
    return frozenset([each for each in temps if is_stored_first(func.body, each, fills, users)])


def filled_arguments(func: LoweredFunc, buffers: Iterable[Buffer], fills: Fills) -> set[Buffer]:
    """Return those of some arguments that a function fills before it reads of them.

    Args:
        func: The function.
        buffers: Some of its arguments.
        fills: What is known of the functions that it calls.

    Complexity:
        That of :func:`stored_first`, for these.
    """
    known = _Known(fills, Users())
    found = {each: _filled(func.body, each, {}, _DEEPEST, known) for each in _plain(func, buffers)}
    return {buffer for buffer, boxes in found.items() if _has_whole(boxes, buffer)}


def fills_whole(stmt: Stmt, buffer: Buffer) -> bool:
    """Return whether a statement stores each element of a buffer before it reads any.

    What is not found so may be so as well; calls are taken to fill nothing.
    """
    return _has_whole(_filled(stmt, buffer, {}, _DEEPEST, _Known(_never, Users())), buffer)


def stores_before_it_reads(stmt: Stmt, buffer: Buffer, users: Users | None = None) -> bool:
    """Return whether a statement reads of a buffer what it has stored itself, and nothing else.

    Like :func:`fills_whole`, but not all of the buffer need be stored.

    Args:
        stmt: The statement.
        buffer: The buffer.
        users: What was found when others of the program were asked about.
    """
    return is_stored_first(stmt, buffer, _never, users)


def _never(call: Call, buffer: Buffer) -> bool:  # noqa: ARG001 - as all Fills
    return False


def _plain(func: LoweredFunc, buffers: Iterable[Buffer]) -> list[Buffer]:
    """Return those of some buffers that have memory while the function runs, without gaps."""
    moved = {
        each.destination
        for each in PROGRAM.pre_order(func.body)
        if isinstance(each, (stmts.Alloc, stmts.Free))
    }
    return [
        each
        for each in buffers
        if each not in moved and not each.strides and each.elem_offset is None
    ]


def is_stored_first(root: Node, buffer: Buffer, fills: Fills, users: Users | None = None) -> bool:
    """Return whether each element is stored before it is read where nothing else uses a buffer.

    Args:
        root: Where it is used.
        buffer: A buffer without gaps.
        fills: What is known of the functions that are called.
        users: What was found when others of the program were asked about.
    """
    known = _Known(fills, Users() if users is None else users)
    pending = [root]
    while pending:
        stmt = pending.pop()
        if _filled(stmt, buffer, {}, _DEEPEST, known) is not None:
            continue
        inner = known.users.children(stmt, buffer)
        is_alone = len(inner) == 1 or isinstance(stmt, stmts.IfThenElse)
        parts = all(isinstance(each, (Stmt, Call)) for each in inner)
        if not isinstance(stmt, _LOCAL) or not is_alone or not parts:
            return False
        pending += inner
    return True


_LOCAL: Final = (stmts.Block, stmts.IfThenElse, stmts.For, stmts.PolyFor)
"""Kinds of statements of which each part may be looked at by itself, if it alone uses memory."""


def _filled(
    stmt: Node, buffer: Buffer, images: _Images, room: int, known: _Known
) -> list[Box] | None:
    """Return the boxes that a statement fills, if it reads nothing else; ``None``: it may."""
    if room == 0:
        return None
    uses = known.users.uses
    match stmt:
        case stmts.Block():
            return _filled_together(stmt, buffer, images, room, known)
        case stmts.ScheduleBlockRealize():
            block = stmt.schedule_block
            if any(uses(value, buffer) for value in stmt.iter_values):
                return None
            images.update(zip(block.iter_vars, stmt.iter_values, strict=True))
            return _filled(block.body, buffer, images, room - 1, known)
        case stmts.ScheduleBlock():
            return _filled(stmt.body, buffer, images, room - 1, known)
        case stmts.IfThenElse(false_case=None) if not uses(stmt.condition, buffer):
            boxes = _filled(stmt.true_case, buffer, images, room - 1, known)
            return None if boxes is None else _until_end(boxes, stmt.condition, buffer, images)
        case stmts.For():
            if uses(stmt.min, buffer) or uses(stmt.extent, buffer):
                return None
            boxes = _filled(stmt.body, buffer, images, room - 1, known)
            if boxes is None:
                return None
            moved = [_over(stmt, box, buffer) for box in boxes]
            return _joined([each for each in moved if each is not None], buffer)
        case stmts.IfThenElse(false_case=Stmt() as false) if not uses(stmt.condition, buffer):
            boxes = _filled(stmt.true_case, buffer, images, room - 1, known)
            others = _filled(false, buffer, images, room - 1, known)
            if boxes is None or others is None:
                return None
            return [each for each in boxes if each in others]
        case Store():
            return _place(stmt, buffer, images, known.users)
        case Call():
            return [(_ALL,) * len(buffer.shape)] if known.fills(stmt, buffer) else None
    return None


def _filled_together(
    block: stmts.Block, buffer: Buffer, images: _Images, room: int, known: _Known
) -> list[Box] | None:
    """Return the boxes that statements fill, each of which uses what is filled before."""
    boxes: list[Box] = []
    for stmt in known.users.children(block, buffer):
        more = _filled(stmt, buffer, images, room - 1, known)
        if more is not None:
            boxes = _joined([*boxes, *more], buffer)
        elif not any(_is_within(stmt, buffer, box, images, known.users) for box in boxes):
            return None
    return boxes


def _joined(boxes: Sequence[Box], buffer: Buffer) -> list[Box]:
    """Return boxes of which none is beside another that differs in one dimension only."""
    found: list[Box] = []
    for box in boxes:
        grown = _with_whole_spans(box, buffer)
        while pair := next(((o, u) for o in found if (u := _union(o, grown)) is not None), None):
            found.remove(pair[0])
            grown = _with_whole_spans(pair[1], buffer)
        found.append(grown)
    return found


def _with_whole_spans(box: Box, buffer: Buffer) -> Box:
    sizes = [integer_of(size) for size in buffer.shape]
    return tuple(
        [
            _ALL if span == Span(frozenset(), 0, size) else span
            for span, size in zip(box, sizes, strict=True)
        ]
    )


def _union(a: Box, b: Box) -> Box | None:
    """Return the box of two that are side by side, or one in the other; ``None``: they are not."""
    different = [at for at, (one, other) in enumerate(zip(a, b, strict=True)) if one != other]
    if len(different) > 1:
        return None
    if not different:
        return a
    at = different[0]
    one, other = a[at], b[at]
    if one.place != other.place or one.high is None or other.high is None:
        return None
    if one.low > other.high or other.low > one.high:
        return None
    span = Span(one.place, min(one.low, other.low), max(one.high, other.high))
    return (*a[:at], span, *a[at + 1 :])


def _over(loop: stmts.For, box: Box, buffer: Buffer) -> Box | None:
    """Return the box that a loop fills whose body fills one."""
    var = loop.loop_var
    moving = [at for at, span in enumerate(box) if var in dict(span.place)]
    count = integer_of(loop.extent)
    digits = [_digits_of(span, var) for span in box]
    if not moving and any(digits):
        return _over_digits(loop, box, digits)
    if not moving:  # it has to run once, and fills the same each time
        return box if (count or 0) > 0 else None
    first = integer_of(loop.min)
    if len(moving) > 1 or first is None:
        return None
    at = moving[0]
    span = box[at]
    step = dict(span.place)[var]
    place = frozenset([each for each in span.place if each[0] is not var])
    is_plain = span == Span(frozenset([(var, 1)]), 0, 1) and first == 0
    if is_plain and same_size(loop.extent, buffer.shape[at]):
        return (*box[:at], _ALL, *box[at + 1 :])
    if count is None or count < 1 or span.high is None or not 0 < step <= span.high - span.low:
        return None
    low, high = span.low + step * first, span.high + step * (first + count - 1)
    return (*box[:at], Span(place, low, high), *box[at + 1 :])


_Digit: TypeAlias = tuple[int, int | None]
"""``var / unit % base`` as numbers; without ``base``: ``var / unit``."""


def _digits_of(span: Span, var: Var) -> _Digit | None:
    """Return the digit of a variable that is the only element of a span; ``None``: it is not."""
    if len(span.place) != 1 or span.low != 0 or span.high != 1:
        return None
    [(term, factor)] = span.place
    return _digit(term, var) if factor == 1 else None


def _digit(term: Node, var: Var) -> _Digit | None:
    if term is var:
        return 1, None
    if not isinstance(term, (Div, Mod)):
        return None
    inner, by = _digit(term.a, var), integer_of(term.b)
    if inner is None or by is None or by < 1:
        return None
    unit, base = inner
    if base is not None and base % by:
        return None
    if isinstance(term, Mod):
        return unit, by
    return unit * by, None if base is None else base // by


def _over_digits(loop: stmts.For, box: Box, digits: Sequence[_Digit | None]) -> Box | None:
    """Return the box that a fused loop fills, whose digits tell the element of each dimension."""
    left = integer_of(loop.extent)
    if left is None or integer_of(loop.min) != 0:
        return None
    unit, found = 1, list(box)
    for at, digit in sorted(enumerate(digits), key=lambda pair: (pair[1] or (0, 0))[0]):
        if digit is None:
            continue
        count = left if digit[1] is None else min(digit[1], left)
        if digit[0] != unit or count < 1 or left % count:
            return None
        unit, left = unit * count, left // count
        found[at] = Span(frozenset(), 0, count)
    return tuple(found) if left == 1 else None


def _place(
    store: Store, buffer: Buffer, images: Mapping[Var, Expr], users: Users
) -> list[Box] | None:
    """Return the element that a store fills; none where memory tells which, which may change."""
    if not _is_whole_view(store.tensor, buffer) or users.uses(store.value, buffer):
        return None
    if any(users.uses(index, buffer) for index in store.indices):
        return None
    box = tuple([_span_of(index, images) for index in store.indices])
    terms = [term for span in box for term, _ in span.place]
    told = any(isinstance(each, (Load, Call)) for each in PROGRAM.pre_order(terms))
    return [] if told else [box]


def _span_of(index: Expr, images: Mapping[Var, Expr]) -> Span:
    form = linear_form(substitute(index, images))
    return Span(frozenset(form.terms.items()), form.constant, form.constant + 1)


def _until_end(
    boxes: Sequence[Box], condition: Expr, buffer: Buffer, images: Mapping[Var, Expr]
) -> list[Box]:
    """Return the boxes that end with the buffer, where a condition says no more than that."""
    if not isinstance(condition, LT) or not condition.a.type.is_integer:
        return []
    span = _span_of(condition.a, images)
    end = integer_of(condition.b)
    return [
        box
        for box in boxes
        if any(
            each == span and end is not None and end == integer_of(size)
            for each, size in zip(box, buffer.shape, strict=True)
        )
    ]


def _has_whole(boxes: Sequence[Box] | None, buffer: Buffer) -> bool:
    return any(_is_whole(box, buffer) for box in boxes or ())


def _is_whole(box: Box, buffer: Buffer) -> bool:
    return all(_is_all(span, size) for span, size in zip(box, buffer.shape, strict=True))


def _is_all(span: Span, size: Expr) -> bool:
    """Return whether elements are all that a dimension has."""
    if span.high is None:
        return True
    count = integer_of(size)
    return not span.place and span.low <= 0 and count is not None and span.high >= count


def _is_within(stmt: Node, buffer: Buffer, box: Box, images: _Images, users: Users) -> bool:
    """Return whether a statement uses nothing of a buffer but a box."""
    if _is_whole(box, buffer):
        return True  # all of it may be used by anybody
    inner = dict(images)
    loops: dict[object, stmts.For | None] = {}  # none where several loops have one variable
    for each in PROGRAM.pre_order(stmt):
        if isinstance(each, stmts.ScheduleBlockRealize):
            inner.update(zip(each.schedule_block.iter_vars, each.iter_values, strict=True))
        elif isinstance(each, stmts.For):
            loops[each.loop_var] = None if each.loop_var in loops else each
    for each in PROGRAM.pre_order(stmt):
        body = body_of_element(each)
        if body is not None and users.uses(body, buffer):
            return False
        held = [child for child in PROGRAM.children(each) if _is_view(child, buffer)]
        if not held or isinstance(each, _DECLARING):
            continue
        if not isinstance(each, (Load, Store)) or not _is_whole_view(each.tensor, buffer):
            return False
        for index, span, size in zip(each.indices, box, buffer.shape, strict=True):
            if not _is_all(span, size) and not _lies_in(_span_of(index, inner), span, loops):
                return False
    return True


def _lies_in(inner: Span, outer: Span, loops: Mapping[object, stmts.For | None]) -> bool:
    """Return whether elements are among others, whatever iterations of some loops they are of."""
    if inner.high is None or outer.high is None:
        return inner == outer
    low, high = inner.low, inner.high
    place = {*inner.place}
    for var, step in inner.place - outer.place:
        loop = loops.get(var)
        first, count = (None, None) if loop is None else map(integer_of, (loop.min, loop.extent))
        if first is None or count is None:
            return False
        last = first + max(count - 1, 0)
        low, high = low + min(step * first, step * last), high + max(step * first, step * last)
        place.remove((var, step))
    return place == outer.place and outer.low <= low and high <= outer.high


_DECLARING: Final = (BufferRange, stmts.ScheduleBlock, Tensor)


def _is_view(node: Node, buffer: Buffer) -> bool:
    return node is buffer or (isinstance(node, Tensor) and node.buffer is buffer)


def _is_whole_view(node: Node, buffer: Buffer) -> bool:
    """Return whether a tensor looks at a buffer in its own shape."""
    return (
        isinstance(node, Tensor)
        and node.buffer is buffer
        and len(node.shape) == len(buffer.shape)
        and all(map(same_size, node.shape, buffer.shape))
    )


def same_size(a: Expr, b: Expr) -> bool:
    """Return whether two sizes are one expression, or literals of one value."""
    return a is b or (integer_of(a) is not None and integer_of(a) == integer_of(b))
