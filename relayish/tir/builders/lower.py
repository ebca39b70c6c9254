"""Lowering of tensors to a function: a nest of loops with a schedule block for each.

.. code-block:: text

    B = compute((32, 32), lambda i, j: A[i, j] + 2, "B")

    function add (_A, _B)
    {
      ScheduleBlock(root)
      {
        serial for (i, 0, 32)
        {
          serial for (j, 0, 32)
          {
            ScheduleBlock(B)
            {
              i0, i1 = axis.bind(i, j)
              B[i0, i1] = (A[i0, i1] + 2.00000000f)
            }
          }
        }
      }
    }

A reduction is a block that sets the elements to their first value, ``B__reduce_init``, which looks
at the buffer of ``B``, and one that combines them with each value of the axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from relayish.errors import LoweringError
from relayish.ir.kinds.one_line import one_line, one_line_at
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import free_variables
from relayish.tir.builders.expr import reduce_step
from relayish.tir.functor import ExprMutator
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ArgumentIO, DeviceAPI
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operation import CallOp, ComputeOp
from relayish.tir.ir.operators import Expr, IntImm, const
from relayish.tir.ir.stmt import Block, For, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Parameter, Store, Tensor, Var
from relayish.tir.ir.traversal import NODES
from relayish.tir.substitution import (
    LOOPS,
    copy_with_fresh_variables,
    replace,
    replace_free_variables,
)

REDUCE_INIT: Final = "__reduce_init"
"""What follows the name of a tensor in that of the block that sets it to its first value."""

N = TypeVar("N", bound=Node)


_Loop: TypeAlias = tuple[Var, Var, Expr | None, Expr | None]
"""The variable of a loop, the axis for which it is made, and the bounds of that."""


def lower(
    name: str,
    tensor_args: Sequence[Tensor],
    scalar_args: Sequence[Var] = (),
    *,
    device_api: DeviceAPI = DeviceAPI.UNK,
) -> LoweredFunc:
    """Return the function that computes ``tensor_args`` from each other, by loops.

    Tensors that are needed and not given are computed into buffers of the function's own, inline
    ones where they are used. The tensors of the result say nothing of their operations: what
    computes them is the function.

    Args:
        name: That of the function.
        tensor_args: Inputs and outputs, whose buffers are its arguments, after the scalars.
        scalar_args: Variables that shapes and values depend on.
        device_api: What runs it.

    Raises:
        LoweringError: If an input or a variable is not given, two tensors have one name, or
            nothing is computed.

    Complexity:
        Linear in the number of distinct nodes, and of those that inlining makes; no recursion.

    Source:
        CINN ``lang::Lower`` with schedule blocks.
    """
    tensors = [t for t in NODES.post_order(list(tensor_args)) if isinstance(t, Tensor)]
    images = _plain_tensors(name, tensors)
    nests: dict[Node, Stmt] = {}  # by operation, or by call, of which several tensors are results
    written: dict[Node, None] = {}
    inliner = _Inliner()
    for tensor in images:
        operation = tensor.operation
        assert tensor.buffer is not None
        if isinstance(operation, ComputeOp):
            nests[operation] = _lower_compute(tensor, operation, images, inliner)
            written[tensor.buffer] = None
        elif isinstance(operation, CallOp):
            call = operation.call
            nests[call] = _with_images(call, images)
            written.update({t.buffer: None for t in operation.targets if t.buffer is not None})
    if not nests:
        raise LoweringError(
            f"function {name!r} computes nothing: none of its {len(tensor_args)} tensors needs it; "
            f"expected a result of compute or call_lowered among its tensors"
        )
    args = _arguments(scalar_args, tensor_args)
    given = set(args)
    stmts = tuple(nests.values())
    block = ScheduleBlock((), (), (), "root", stmts[0] if len(stmts) == 1 else Block(stmts))
    func = LoweredFunc(
        name,
        args,
        Block((ScheduleBlockRealize((), block),)),
        tuple([b for b in written if isinstance(b, Buffer) and b not in given]),
        tuple([ArgumentIO.OUTPUT if a in written else ArgumentIO.INPUT for a in args]),
        device_api,
    )
    _check_closed(func)
    return func


def _lower_compute(
    tensor: Tensor, operation: ComputeOp, images: Mapping[Any, Node], inliner: _Inliner
) -> Stmt:
    """Return the loops that compute a tensor; see the head of this file."""
    if len(operation.body) != 1:
        raise LoweringError(
            f"the operation of tensor {tensor.name} has {len(operation.body)} bodies, and does not "
            f"say which is its own; expected one"
        )
    body = _with_images(inliner.visit(operation.body[0]), images)
    loops = [(Var(a.name, a.type), a, const(0, a.type), n) for a, n in _axes(operation)]
    known: dict[Any, Node] = {axis: index for index, axis, _, _ in loops}
    target = images[tensor]
    assert isinstance(target, Tensor)
    if not isinstance(body, Reduce):
        return _nest(loops, known, _compute_block(target, loops, body))
    over = [
        (Var(a.name, a.type, is_reduce_axis=True), a, a.lower_bound, a.upper_bound)
        for a in body.reduce_axis
    ]
    known.update({axis: index for index, axis, _, _ in over})
    first = target.with_fields(name=target.name + REDUCE_INIT)
    begin = _compute_block(first, loops, body.init)
    step = _compute_block(target, [*loops, *over], body)
    return _nest(loops, known, begin, _nest(over, known, step))


def _with_images(root: N, images: Mapping[Any, Node]) -> N:
    """Return ``root`` with the images of the tensors in it, which are few among all."""
    return replace(root, {n: images[n] for n in LOOPS.pre_order(root) if n in images})


def _axes(operation: ComputeOp) -> list[tuple[Var, Expr]]:
    return list(zip(operation.axis, operation.shape, strict=True))


def _compute_block(target: Tensor, loops: Sequence[_Loop], body: Expr) -> Stmt:
    """Return the schedule block that stores ``body``, or a step of it if it is a reduction."""
    known: dict[Any, Var] = {}
    for at, (index, axis, low, high) in enumerate(loops):
        lower_bound = None if low is None else replace(low, known)
        upper_bound = None if high is None else replace(high, known)
        known[axis] = Var(
            f"i{at}", axis.type, lower_bound, upper_bound, is_reduce_axis=index.is_reduce_axis
        )
    iter_vars = tuple(known.values())
    indices = tuple([v for v in iter_vars if not v.is_reduce_axis])
    if isinstance(body, Reduce):
        body = reduce_step(body.reduce_type, Load(target, indices), body.body)
    block = ScheduleBlock(
        iter_vars, (), (), target.name, Store(target, replace(body, known), indices)
    )
    return ScheduleBlockRealize(tuple([index for index, _, _, _ in loops]), block)


def _nest(loops: Sequence[_Loop], known: Mapping[Any, Node], *stmts: Stmt) -> Stmt:
    """Return loops around ``stmts``, within the bounds of the axes."""
    body = stmts
    for index, axis, low, high in reversed(loops):
        if low is None or high is None:
            raise LoweringError(
                f"axis {axis.name!r} of a reduction has no bounds; make it by "
                f"reduce_axis({axis.name!r}, upper)"
            )
        first, last = replace(low, known), replace(high, known)
        body = (For(index, first, _extent(first, last), Block(body)),)
    return body[0] if len(body) == 1 else Block(body)


def _extent(low: Expr, high: Expr) -> Expr:
    """Return how many integers there are from ``low`` on, below ``high``."""
    if not isinstance(low, IntImm):
        return high - low
    if isinstance(high, IntImm):
        return const(high.value - low.value, high.type)
    return high if low.value == 0 else high - low


class _Inliner(ExprMutator):
    """Puts what an inline tensor computes where its elements are loaded."""

    def visit_load(self, load: Load) -> Expr:
        made = super().visit_load(load)
        tensor = load.tensor
        if not isinstance(tensor, Tensor) or tensor.buffer is not None:
            return made
        operation = tensor.operation
        if not isinstance(operation, ComputeOp) or len(operation.body) != 1:
            raise LoweringError(
                f"tensor {tensor.name} has neither a buffer nor an operation that computes it"
            )
        assert isinstance(made, Load)
        if len(made.indices) != len(operation.axis):
            raise LoweringError(
                f"tensor {tensor.name} has {len(operation.axis)} dimensions, but "
                f"{len(made.indices)} indices are given in {one_line_at(load)}"
            )
        body = copy_with_fresh_variables(operation.body[0])
        images = dict(zip(operation.axis, made.indices, strict=True))
        return self.visit(replace_free_variables(body, images))

    def visit_tensor(self, tensor: Tensor) -> Expr:
        return tensor  # what it comes from is lowered by itself


def _plain_tensors(name: str, tensors: Sequence[Tensor]) -> dict[Tensor, Tensor]:
    """Return each tensor that has a buffer, as functions know it: a view of that."""
    known: dict[str, Tensor] = {}
    found: dict[Tensor, Tensor] = {}
    for tensor in tensors:
        if tensor.buffer is None:
            continue
        plain = Tensor(tensor.name, tensor.shape, tensor.dtype, tensor.buffer, span=tensor.span)
        found[tensor] = known.setdefault(tensor.name, plain)
        if found[tensor].buffer is not tensor.buffer:
            raise LoweringError(
                f"two tensors of function {name!r} are called {tensor.name!r}; names tell tensors "
                f"apart: give one of them another"
            )
    return found


def _arguments(scalar_args: Sequence[Var], tensor_args: Sequence[Tensor]) -> tuple[Parameter, ...]:
    """Return scalars, then the buffers of tensors, each of them once."""
    args: dict[Parameter, None] = dict.fromkeys(scalar_args)
    for tensor in tensor_args:
        if not isinstance(tensor, Tensor):
            raise LoweringError(
                f"{one_line(tensor)} stands among the tensors; expected a tensor; give variables "
                f"as scalar_args"
            )
        if not isinstance(tensor.buffer, Buffer):
            raise LoweringError(
                f"tensor {tensor.name} is inline, so it cannot be an argument; compute it into a "
                f"buffer"
            )
        args[tensor.buffer] = None
    return tuple(args)


def _check_closed(func: LoweredFunc) -> None:
    """Raise if a function needs what it is not given."""
    for found in free_variables(func):
        if isinstance(found, Buffer):
            raise LoweringError(
                f"function {func.name!r} needs {found.name}, which nothing computes; give the "
                f"tensor that looks at it among the tensors"
            )
        raise LoweringError(
            f"function {func.name!r} needs variable {one_line(found)}, which nothing binds; give "
            f"it among the scalars"
        )
