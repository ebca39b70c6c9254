"""Fourier transforms of signals, the parts of whose numbers come last."""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.passes.onnx.lowering.arithmetic import Numbers, work_type
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers


@lowers("DFT")
def fourier(node: OnnxNode) -> Expr:
    """The discrete Fourier transform along one axis."""
    rank, sizes = node.rank(), node.sizes()
    if "axis" in node.attributes or node.version < 20:
        axis = int(node.attr("axis", 1))
    else:
        axis = int(node.constant(2, "axis").reshape(())) if node.has(2) else -2
    axis = axis + rank if axis < 0 else axis
    if not 0 <= axis < rank - 1:
        raise Unlowered(f"its signal of {rank} axes has no axis {axis} before the last")
    told = int(node.constant(1, "length").reshape(())) if node.has(1) else None
    order = [at for at in range(rank - 1) if at != axis] + [axis]
    turned = build("transpose", node.input(0), axes=(*order, rank - 1))
    inverse, one_sided = bool(node.attr("inverse", 0)), bool(node.attr("onesided", 0))
    size = sizes[axis]
    if inverse and one_sided:
        length = max(2 * (size - 1), 1) if told is None else told
        x = _of_length(turned, size, length // 2 + 1, rank)
        found = _real_inverse(node, x, length)
    else:
        length = size if told is None else told
        x = _of_length(turned, size, length, rank)
        found = _transformed(node, x, inverse=inverse)
        if one_sided:
            found = _first(found, length // 2 + 1, rank - 2)
    back = [order.index(at) for at in range(rank - 1)]
    return build("transpose", found, axes=(*back, rank - 1))


def _first(x: Expr, count: int, axis: int) -> Expr:
    """Return the first elements of an axis."""
    return build("strided_slice", x, begin=(0,), end=(count,), strides=(1,), axes=(axis,))


def _of_length(x: Expr, size: int, length: int, rank: int) -> Expr:
    """Return a signal of another length, without its end or with zeros behind it."""
    if length <= size:
        return x if length == size else _first(x, length, rank - 2)
    return build("nn.pad", x, [*[(0, 0)] * (rank - 2), (0, length - size), (0, 0)])


def _transformed(node: OnnxNode, x: Expr, *, inverse: bool) -> Expr:
    """Return the transform of signals (..., length, 1 or 2), as (..., length, 2)."""
    rank = node.rank()
    real = build("take", x, const(0, "int64"), axis=rank - 1)
    imaginary = build("zeros_like", real)
    if node.sizes()[-1] == 2:
        imaginary = build("take", x, const(1, "int64"), axis=rank - 1)
    both: Any = build("dft", real, imaginary, inverse=inverse)  # Any: a call of a pair
    return build("stack", [both[0], both[1]], axis=rank - 1)


def _real_inverse(node: OnnxNode, x: Expr, length: int) -> Expr:
    """Return real signals (..., length, 1) of the first half of their frequencies, and one more."""
    if length < 1:
        raise Unlowered(f"the length of its transform is {length}")
    op, count, rank = Numbers(work_type(node.dtype())), length // 2 + 1, node.rank()
    angles = 2 * np.pi / length * (np.arange(count)[:, None] * np.arange(length) % length)
    times = np.full((count, 1), 2.0)
    times[0] = 1
    if length % 2 == 0:
        times[-1] = 1  # its own mirror image, as the first is
    letters = "abcdefgh"[: rank - 2]
    found: Expr | None = None
    for at, wave in enumerate((np.cos(angles), -np.sin(angles))[: node.sizes()[-1]]):
        part = build("cast", build("take", x, const(at, "int64"), axis=rank - 1), op.dtype)
        matrix = op.array(times * wave / length)
        each = build("einsum", (part, matrix), f"{letters}y,yz->{letters}z")
        found = each if found is None else op("add", found, each)
    return build("expand_dims", build("cast", found, node.dtype()), axis=rank - 1)


@lowers("STFT")
def short_time_fourier(node: OnnxNode) -> Expr:
    """Fourier transforms of frames of signals (batch, length, 1 or 2), cut by a window."""
    _, length, parts = node.sizes()
    size = length if not node.has(2) else node.sizes(2)[0]
    if node.has(3):
        size = int(node.constant(3, "length").reshape(()))
    step = int(node.constant(1, "step").reshape(()))
    one_sided = bool(node.attr("onesided", 1))
    if step < 1 or not 1 <= size <= length or (node.has(2) and node.sizes(2) != (size,)):
        raise Unlowered(f"frames of {size}, by steps of {step}, are not cut of {length} elements")
    if one_sided and parts == 2:
        raise Unlowered("a complex signal has no transform of one side")
    starts = np.arange(0, length - size + 1, step)[:, None]
    frames = build("take", node.input(0), const(starts + np.arange(size), "int64"), axis=1)
    if node.has(2):
        window = build("reshape", build("cast", node.input(2), node.dtype()), (size, 1))
        frames = build("multiply", frames, window)
    both: list[Expr] = [build("take", frames, const(at, "int64"), axis=3) for at in range(parts)]
    imaginary = both[1] if parts == 2 else build("zeros_like", both[0])
    pair: Any = build("dft", both[0], imaginary, inverse=False)  # Any: a call of a pair
    found = build("stack", [pair[0], pair[1]], axis=3)
    return _first(found, size // 2 + 1, 2) if one_sided else found
