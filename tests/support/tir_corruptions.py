"""Functions of the loop IR as wrong passes leave them: each corruption breaks one rule.

A corruption is asked with a sound function and a source of chance. It returns what becomes of some
nodes, ``{node: image}``, or a whole function; ``None`` where there is nothing that it could break.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, TypeVar

from relayish import tir
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import Traversal
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir import ForType, LoweredFunc, Rule, const

Images: TypeAlias = Mapping[Any, Any]
Corruption: TypeAlias = Callable[[LoweredFunc, random.Random], "Images | LoweredFunc | None"]

CORRUPTIONS: Final[dict[str, tuple[Rule, Corruption]]] = {}
"""By name: the rule that is broken at least, and what breaks it."""

_ALL = Traversal(tir.IrNode)
_N = TypeVar("_N", bound=Node)


def breaks(rule: Rule) -> Callable[[Corruption], Corruption]:
    """Put a function into :data:`CORRUPTIONS`."""

    def enter(made: Corruption) -> Corruption:
        CORRUPTIONS[made.__name__] = (rule, made)
        return made

    return enter


def corrupted(func: LoweredFunc, name: str, seed: int) -> LoweredFunc | None:
    """Return ``func`` with the corruption ``name``; ``None`` where it does not apply."""
    found = CORRUPTIONS[name][1](func, random.Random(f"{name} {seed}"))
    if found is None or isinstance(found, LoweredFunc):
        return found
    images = dict(found)
    for node in _ALL.post_order(func):
        make = _ALL.rebuild[type(node)]
        if node not in found and make is not None:
            images[node] = make(node, images.get)
    made: LoweredFunc = images.get(func, func)
    return made


def pick(
    func: LoweredFunc,
    chance: random.Random,
    kind: type[_N],
    accepts: Callable[[Any], bool] = lambda _: True,
) -> _N | None:
    """Return one of the nodes of a kind, or ``None``."""
    found = [n for n in PROGRAM.post_order(func) if isinstance(n, kind) and accepts(n)]
    return chance.choice(found) if found else None


def appended(func: LoweredFunc, *stmts: tir.Stmt) -> LoweredFunc:
    """Return a function that runs some statements at its end."""
    return func.with_fields(body=tir.Block((func.body, *stmts)))


ODD: Final = const(1, "uint16")
"""A number of a type that no random function has anywhere."""


def change(func: Any, chance: Any, kind: Any, accepts: Any = lambda _: True, **fields: Any) -> Any:
    """Return the images in which one node of a kind has other fields: of ``fields[name](node)``."""
    node = pick(func, chance, kind, accepts)
    if node is None:
        return None
    return {node: node.with_fields(**{name: make(node) for name, make in fields.items()})}


# one field of one node


ONE_FIELD: Final[dict[str, tuple[Rule, type[Node], str, Callable[[Any], Any]]]] = {
    "give_an_operand_another_type": (Rule.TYPE, tir.BinaryOpNode, "b", lambda _: ODD),
    "let_a_literal_overflow": (Rule.LITERAL, tir.IntImm, "value", lambda n: 1 << n.type.bits),
    "change_the_sign_of_a_literal": (Rule.LITERAL, tir.IntImm, "dtype", lambda _: "uint32"),
    "cast_to_more_lanes": (
        Rule.TYPE, tir.Cast, "dtype", lambda n: n.dtype.with_lanes(n.dtype.lanes + 3)),
    "select_by_a_number": (Rule.TYPE, tir.Select, "condition", lambda _: ODD),
    "select_another_type": (Rule.TYPE, tir.Select, "false_value", lambda _: ODD),
    "lose_the_lanes_of_a_ramp": (Rule.TYPE, tir.Ramp, "lanes", lambda _: 0),
    "broadcast_twice": (Rule.TYPE, tir.Broadcast, "value", lambda n: tir.Broadcast(n.value, 2)),
    "lose_all_operands": (Rule.TYPE, tir.NaryOpNode, "operands", lambda _: ()),
    "reduce_from_another_type": (Rule.REDUCE, tir.Reduce, "init", lambda _: ODD),
    "count_as_far_as_another_type": (Rule.TYPE, tir.For, "extent", lambda _: ODD),
    "start_from_another_type": (Rule.TYPE, tir.For, "min", lambda _: ODD),
    "loop_while_a_number": (Rule.TYPE, tir.PolyFor, "condition", lambda _: ODD),
    "branch_on_a_number": (Rule.TYPE, tir.IfThenElse, "condition", lambda _: ODD),
    "declare_with_another_type": (Rule.TYPE, tir.Let, "body", lambda _: ODD),
    "drop_an_index": (Rule.INDEX, tir.Store, "indices", lambda n: n.indices[1:]),
    "store_another_type": (Rule.TYPE, tir.Store, "value", lambda _: ODD),
}  # fmt: skip
"""By name: the rule, a kind, a field, and what of a node of that kind is put into it."""


def _enter_changes() -> None:
    for name, (rule, kind, field, make) in ONE_FIELD.items():

        def corrupt(func: Any, chance: Any, made: Any = (kind, field, make)) -> Any:
            kind, field, make = made
            return change(func, chance, kind, lambda n: getattr(n, field) != (), **{field: make})

        CORRUPTIONS[name] = rule, corrupt


_enter_changes()


# expressions


@breaks(Rule.TYPE)
def add_truth_values(func, chance):
    node = pick(func, chance, tir.PredicateNode)
    return None if node is None else {node: tir.Add(node, node)}


@breaks(Rule.TYPE)
def negate_a_number_as_a_truth_value(func, chance):
    node = pick(func, chance, tir.BinaryOpNode, lambda n: not n.type.is_bool)
    return None if node is None else {node: tir.Not(node)}


@breaks(Rule.TYPE)
def take_the_minus_of_a_truth_value(func, chance):
    node = pick(func, chance, tir.PredicateNode)
    return None if node is None else {node: tir.Minus(node)}


@breaks(Rule.REDUCE)
def lose_the_bounds_of_an_axis(func, chance):
    node = pick(func, chance, tir.Reduce, lambda n: n.reduce_axis)
    if node is None:
        return None
    axis = node.reduce_axis[0]
    return {axis: tir.Var(axis.name, axis.dtype)}


@breaks(Rule.REDUCE)
def reduce_numbers_as_truth_values(func, chance):
    kind = tir.ReduceType.ALL
    return change(
        func, chance, tir.Reduce, lambda n: not n.type.is_bool, reduce_type=lambda _: kind
    )


# statements


@breaks(Rule.STRUCTURE)
def take_the_block_out_of_a_loop(func, chance):
    loops = (tir.For, tir.PolyFor)
    node = pick(func, chance, loops, lambda n: isinstance(n.body, tir.Block) and n.body.stmts)
    return None if node is None else {node: node.with_fields(body=node.body.stmts[0])}


@breaks(Rule.STRUCTURE)
def take_a_schedule_block_out_of_its_realize(func, chance):
    node = pick(func, chance, tir.ScheduleBlockRealize)
    return None if node is None else {node: node.schedule_block}


# scopes


@breaks(Rule.SCOPE)
def drop_a_declaration(func, chance):
    used = _used(func)
    node = pick(func, chance, tir.Let, lambda n: n.symbol in used)
    return None if node is None else {node: tir.Block()}


@breaks(Rule.SCOPE)
def declare_too_late(func, chance):
    used = _used(func)

    def starts_with_use(block):
        first = block.stmts[0] if len(block.stmts) > 1 else None
        return isinstance(first, tir.Let) and first.symbol in used

    return change(
        func, chance, tir.Block, starts_with_use, stmts=lambda n: n.stmts[1:] + n.stmts[:1]
    )


@breaks(Rule.SCOPE)
def count_with_the_variable_of_another_loop(func, chance):
    one, other = pick(func, chance, tir.For), pick(func, chance, tir.For)
    if one is None or other is None or one.loop_var is other.loop_var:
        return None
    return {one.loop_var: other.loop_var}


@breaks(Rule.SCOPE)
def use_a_loop_variable_behind_its_loop(func, chance):
    node = pick(func, chance, tir.For)
    return (
        None
        if node is None
        else appended(func, tir.Let(tir.Var("late", node.loop_var.dtype), node.loop_var))
    )


@breaks(Rule.SCOPE)
def lose_an_argument(func, chance):
    used = _used(func)
    args = [arg for arg in func.args if arg in used]
    if not args:
        return None
    lost = chance.choice(args)
    return func.with_fields(args=tuple(arg for arg in func.args if arg is not lost))


@breaks(Rule.SCOPE)
def lose_the_temporary_buffers(func, _):
    used = _used(func)
    return func.with_fields(temp_bufs=()) if used.intersection(func.temp_bufs) else None


@breaks(Rule.SCOPE)
def give_an_argument_twice(func, chance):
    return func.with_fields(args=(*func.args, chance.choice(func.args)))


@breaks(Rule.SCOPE)
def assign_to_a_loop_variable(func, chance):
    def body(loop):
        var = loop.loop_var
        return tir.Block((loop.body, tir.Store(var, const(1, var.dtype))))

    return change(func, chance, tir.For, body=body)


@breaks(Rule.SCOPE)
def assign_to_a_variable_of_a_block(func, chance):
    def body(block):
        return tir.Block((block.body, tir.Store(block.iter_vars[0], const(1))))

    return change(func, chance, tir.ScheduleBlock, lambda n: n.iter_vars, body=body)


@breaks(Rule.SCOPE)
def use_a_buffer_of_nobody(func, _):
    buffer = tir.Buffer("_nobody", (1,))
    tensor = tir.Tensor("nobody", (1,), "float32", buffer)
    return appended(func, tir.Store(tensor, const(1.0), (const(0),)))


# accesses


@breaks(Rule.INDEX)
def add_an_index(func, chance):
    return change(
        func, chance, tir.Load, lambda n: n.is_addr_tensor, indices=lambda n: (*n.indices, const(0))
    )


@breaks(Rule.INDEX)
def index_by_a_float(func, chance):
    return change(
        func, chance, (tir.Load, tir.Store), lambda n: n.indices,
        indices=lambda n: (const(0.0), *n.indices[1:]),
    )  # fmt: skip


@breaks(Rule.MEMORY)
def change_the_type_of_a_tensor(func, chance):
    return change(
        func, chance, tir.Tensor, lambda n: n.buffer is not None, dtype=lambda _: "uint16"
    )


@breaks(Rule.MEMORY)
def change_the_type_of_a_buffer(func, chance):
    return change(func, chance, tir.Buffer, lambda n: n in _used(func), dtype=lambda _: "uint16")


@breaks(Rule.MEMORY)
def make_a_tensor_too_large(func, chance):
    def shape(tensor):
        return (const(10**6), *tensor.shape[1:])

    return change(func, chance, tir.Tensor, _has_known_elements, shape=shape)


@breaks(Rule.MEMORY)
def store_to_an_inline_tensor(func, chance):
    inline = tir.compute((1,), lambda i: tir.Cast("float32", i), "odd_inline", inline=True)
    return appended(func, tir.Store(inline, const(1.0), (const(0),)))


@breaks(Rule.NAME)
def call_all_tensors_alike(func, _):
    tensors = [n for n in PROGRAM.post_order(func) if isinstance(n, tir.Tensor)]
    if len({tensor.name for tensor in tensors}) < 2:
        return None
    return {tensor: tensor.with_fields(name="same") for tensor in tensors}


@breaks(Rule.BOUNDS)
def store_far_behind(func, chance):
    buffer = tir.Buffer("_far", (4,))
    tensor = tir.Tensor("far", (4,), "float32", buffer)
    made = appended(func, tir.Store(tensor, const(1.0), (const(chance.choice((-1, 4, 1000))),)))
    return made.with_fields(temp_bufs=(*func.temp_bufs, buffer))


# schedule blocks


@breaks(Rule.SCHEDULE_BLOCK)
def lose_a_value(func, chance):
    return change(
        func, chance, tir.ScheduleBlockRealize, lambda n: n.iter_values,
        iter_values=lambda n: n.iter_values[1:],
    )  # fmt: skip


@breaks(Rule.SCHEDULE_BLOCK)
def give_a_value_of_another_type(func, chance):
    return change(
        func, chance, tir.ScheduleBlockRealize, lambda n: n.iter_values,
        iter_values=lambda n: (tir.Cast("int64", n.iter_values[0]), *n.iter_values[1:]),
    )  # fmt: skip


@breaks(Rule.SCHEDULE_BLOCK)
def square_a_value(func, chance):
    loops = [n for n in PROGRAM.post_order(func) if isinstance(n, tir.For)]
    counters = {loop.loop_var for loop in loops if loop.loop_var.dtype == tir.Int(32)}

    def square(realize):
        first, *rest = realize.iter_values
        return (first * first, *rest)

    return change(
        func, chance, tir.ScheduleBlockRealize,
        lambda n: n.iter_values and counters.intersection(PROGRAM.post_order(n.iter_values[0])),
        iter_values=square,
    )  # fmt: skip


@breaks(Rule.REGION)
def declare_other_regions(func, chance):
    other = tir.Buffer("_other", (1,))

    def writes(block):
        return any(isinstance(n, tir.Store) and n.is_addr_tensor for n in PROGRAM.post_order(block))

    found = change(
        func, chance, tir.ScheduleBlock, writes, write_buffers=lambda _: (tir.BufferRange(other),)
    )
    if found is None:
        return None
    [(block, image)] = found.items()
    made = _replaced(func, block, image)
    return made.with_fields(temp_bufs=(*made.temp_bufs, other))


# kinds of loops


@breaks(Rule.LOOP_KIND)
def vectorise_by_nothing(func, chance):
    return change(
        func, chance, tir.For,
        for_type=lambda _: ForType.VECTORIZED, vectorize_info=lambda _: tir.VectorizeInfo(),
    )  # fmt: skip


@breaks(Rule.LOOP_KIND)
def unroll_and_vectorise(func, chance):
    both = ForType.UNROLLED | ForType.VECTORIZED
    return change(func, chance, tir.For, for_type=lambda _: both)


@breaks(Rule.LOOP_KIND)
def bind_two_loops_to_one_axis(func, chance):
    info = tir.BindInfo(ForType.GPU_BLOCK, 0)
    body = func.body
    for name in ("p", "q"):
        loop = tir.For(tir.Var(name), 0, 1, tir.Block((body,)), ForType.GPU_BLOCK, bind_info=info)
        body = tir.Block((loop,))
    return func.with_fields(body=body)


# memory


def _after_alloc(func, chance, more):
    """Put statements behind an allocation without a body."""

    def allocates(block):
        return any(
            isinstance(s, tir.Alloc) and s.body is None and s.condition is None for s in block.stmts
        )

    block = pick(func, chance, tir.Block, allocates)
    if block is None:
        return None
    at = next(i for i, s in enumerate(block.stmts) if isinstance(s, tir.Alloc) and s.body is None)
    stmts = (*block.stmts[: at + 1], *more(block.stmts[at].destination), *block.stmts[at + 1 :])
    return {block: block.with_fields(stmts=stmts)}


@breaks(Rule.LIFETIME)
def allocate_twice(func, chance):
    return _after_alloc(func, chance, lambda buffer: (tir.Alloc(buffer),))


@breaks(Rule.LIFETIME)
def free_twice(func, chance):
    return _after_alloc(func, chance, lambda buffer: (tir.Free(buffer), tir.Free(buffer)))


@breaks(Rule.LIFETIME)
def use_after_free(func, chance):
    def more(buffer):
        tensor = tir.Tensor("late", buffer.shape, buffer.dtype, buffer)
        zeros = tuple(const(0) for _ in buffer.shape)
        return tir.Free(buffer), tir.Store(tensor, const(1, buffer.dtype), zeros)

    return _after_alloc(func, chance, more)


@breaks(Rule.LIFETIME)
def free_an_argument(func, chance):
    buffers = [arg for arg in func.args if isinstance(arg, tir.Buffer)]
    return appended(func, tir.Free(chance.choice(buffers))) if buffers else None


# calls


@breaks(Rule.CALL)
def give_a_function_more_arguments(func, chance):
    return change(
        func, chance, tir.Call, lambda n: tir.find_extern(n.name) is not None,
        read_args=lambda n: (*n.read_args, *n.read_args, ODD),
    )  # fmt: skip


@breaks(Rule.CALL)
def say_another_result(func, chance):
    return change(
        func, chance, tir.Call, lambda n: tir.find_extern(n.name) is not None,
        dtype=lambda _: "uint16",
    )  # fmt: skip


@breaks(Rule.CALL)
def call_a_primitive_of_nobody(func, _):
    return appended(func, tir.PrimitiveNode("nobody_knows_this"))


@breaks(Rule.STRUCTURE)
def say_how_too_many_arguments_are_used(func, _):
    return func.with_fields(args_io=(tir.ArgumentIO.INPUT,) * (len(func.args) + 1))


def _used(func: LoweredFunc) -> set[Node]:
    """Return the variables and buffers that the body uses."""
    binders = (LoweredFunc, tir.For, tir.PolyFor, tir.Let)
    found: set[Node] = set()
    for node in PROGRAM.post_order(func):
        if not isinstance(node, binders):
            found.update(PROGRAM.children(node))
    return found


def _has_known_elements(tensor: tir.Tensor) -> bool:
    """Return whether the sizes of a tensor and its buffer are known, and none of them is 0."""
    if tensor.buffer is None or not tensor.shape:
        return False
    sizes = (*tensor.shape, *tensor.buffer.shape)
    return all(isinstance(size, tir.IntImm) and size.value for size in sizes)


def _replaced(func: LoweredFunc, old: Node, new: Node) -> LoweredFunc:
    images = {old: new}
    for node in _ALL.post_order(func):
        make = _ALL.rebuild[type(node)]
        if node is not old and make is not None:
            images[node] = make(node, images.get)
    return images[func]
