"""Reductions, products of matrices, and what normalises by them."""

from __future__ import annotations

import string
from math import prod
from typing import Final

import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import PrimExpr
from relayish.ir.values.dtype import numpy_dtype
from relayish.passes.onnx.lowering.arithmetic import Numbers, work_type
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

_REDUCTIONS: Final = {
    "ReduceSum": "sum", "ReduceMean": "mean", "ReduceMax": "max", "ReduceMin": "min",
    "ReduceProd": "prod",
}  # fmt: skip
_OF_SQUARES: Final = ("ReduceSumSquare", "ReduceL2")
_TRANSCENDENTAL: Final = ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp")
_COERCING: Final = 13
"""The version from which Softmax and its kin take one axis, and no matrix made of all of them."""


@lowers(*_REDUCTIONS, *_OF_SQUARES, "ReduceL1", "ReduceLogSum", "ReduceLogSumExp")
def reduce_(node: OnnxNode) -> Expr:
    """One element for each of the axes that stay."""
    name, x = node.identity.name, node.input(0)
    axes, keep = node.axes(), bool(node.attr("keepdims", 1))
    if not axes:
        axes = () if node.attr("noop_with_empty_axes", 0) else None
    is_whole = name in _TRANSCENDENTAL and "float" not in node.type(0).dtype
    real = build("cast", x, dtype="float64") if is_whole else x
    if axes == ():
        found = _without_axes(name, real)
    elif name in ("ReduceMax", "ReduceMin"):
        extremum = "min" if name == "ReduceMin" else "max"
        found = build(extremum, fill_nothing(node, extremum, axes), keepdims=keep, axis=axes)
    elif name == "ReduceLogSumExp":
        found = _log_sum_exp(node, real, axes, keep=keep)
    else:
        inner = build("abs", real) if name == "ReduceL1" else real
        if name in _OF_SQUARES:
            inner = build("multiply", real, real)
        found = build(_REDUCTIONS.get(name, "sum"), inner, keepdims=keep, axis=axes)
        after = {"ReduceL2": "sqrt", "ReduceLogSum": "log"}.get(name)
        found = found if after is None else build(after, found)
    return build("cast", found, dtype=node.type(0).dtype) if is_whole else found


def _log_sum_exp(node: OnnxNode, x: Expr, axes: tuple[int, ...] | None, *, keep: bool) -> Expr:
    """Return logarithms of sums of exponentials, none of which overflows."""
    dtype = node.type(0).dtype
    work = dtype if "float" in dtype else "float64"
    largest = build("max", fill_nothing(node, "max", axes), keepdims=True, axis=axes)
    largest = largest if work == dtype else build("cast", largest, dtype=work)
    zero = const(0, work)  # in place of what is infinite, whose differences are none
    shift = build("where", build("isfinite", largest), largest, zero)
    total = build("sum", build("exp", build("subtract", x, shift)), keepdims=True, axis=axes)
    found = build("add", build("log", total), shift)
    return found if keep else build("squeeze", found, axis=_all_axes(node, axes))


def fill_nothing(node: OnnxNode, extremum: str, axes: tuple[int, ...] | None) -> Expr:
    """Return the data with elements for reductions to begin with, where there may be no others.

    Relay has no largest or smallest of no elements; ONNX's is the lowest or highest number. So
    axes that are reduced, and may be of size 0, become longer by one such number.

    Args:
        node: The node, whose first input is reduced.
        extremum: ``max`` or ``min``.
        axes: Which axes are reduced, ``None`` for all.
    """
    x, ty = node.input(0), node.type(0)
    longer = [(0, 0)] * len(ty.shape)
    for axis in _all_axes(node, axes):
        size = ty.shape[axis]
        longer[axis] = (0, int(isinstance(size, PrimExpr) or size == 0))
    if not any(after for _, after in longer):
        return x
    dtype = numpy_dtype(ty.dtype)
    if dtype.kind == "b":
        limit: object = extremum == "min"
    elif dtype.kind in "iu":
        limit = getattr(np.iinfo(str(dtype)), "min" if extremum == "max" else "max")
    else:
        limit = -np.inf if extremum == "max" else np.inf
    return build("nn.pad", x, longer, const(limit, ty.dtype))


def _without_axes(name: str, x: Expr) -> Expr:
    """Return what a reduction over no axis does to each element."""
    if name in ("ReduceL1", "ReduceL2"):
        return build("abs", x)
    if name == "ReduceSumSquare":
        return build("multiply", x, x)
    return build("log", x) if name == "ReduceLogSum" else x


def _all_axes(node: OnnxNode, axes: tuple[int, ...] | None) -> tuple[int, ...]:
    return axes or tuple(range(node.rank()))


@lowers("ArgMax", "ArgMin")
def arg_extremum(node: OnnxNode) -> Expr:
    """Where the largest or the smallest element stands."""
    op = node.identity.name.lower()
    return build(
        "cast",
        build(
            op,
            node.input(0),
            axis=node.axis(),
            keepdims=bool(node.attr("keepdims", 1)),
            select_last_index=bool(node.attr("select_last_index", 0)),
        ),
        "int64",
    )


@lowers("Softmax", "LogSoftmax")
def softmax(node: OnnxNode) -> Expr:
    """Exponentials over their sum: along an axis, or before version 13 all from an axis on."""
    op = "nn.softmax" if node.identity.name == "Softmax" else "nn.log_softmax"
    if node.version >= _COERCING:
        return build(op, node.input(0), axis=node.axis(-1))
    axis, rank = node.axis(1), node.rank()
    if axis == rank - 1:
        return build(op, node.input(0), axis=axis)
    sizes = node.sizes()
    flat = build("reshape", node.input(0), (*sizes[:axis], -1))
    return build("reshape", build(op, flat, axis=axis), sizes)


@lowers("MatMul")
def matmul(node: OnnxNode) -> Expr:
    """Products of the last two axes; those before broadcast."""
    left, right = node.input(0), node.input(1)
    first, second = node.rank(0), node.rank(1)
    if first == second == 2:
        return build("nn.matmul", left, right)
    if 1 in (first, second):
        return _with_vector(left, right, first, second)
    batch = max(first, second) - 2
    letters = "abcdefgh"[:batch]
    one, two = letters[batch - (first - 2) :], letters[batch - (second - 2) :]
    if _broadcasts(node, first, second):
        return _multiply_and_sum(left, right)
    return build("einsum", [left, right], f"{one}xk,{two}ky->{letters}xy")


def _broadcasts(node: OnnxNode, first: int, second: int) -> bool:
    """Return whether a size of one meets another, which an einsum has no letters for."""
    shared = min(first, second) - 2
    left, right = node.type(0).shape[:-2], node.type(1).shape[:-2]
    pairs = zip(left[len(left) - shared :], right[len(right) - shared :], strict=True)
    return any((one == 1) != (other == 1) for one, other in pairs)


def _multiply_and_sum(left: Expr, right: Expr) -> Expr:
    wide = build("expand_dims", left, axis=-1)
    tall = build("expand_dims", right, axis=-3)
    return build("sum", build("multiply", wide, tall), axis=(-2,))


def _with_vector(left: Expr, right: Expr, first: int, second: int) -> Expr:
    letters = "abcdefgh"
    one = "k" if first == 1 else f"{letters[: first - 2]}xk"
    two = "k" if second == 1 else f"{letters[: second - 2]}ky"
    out = (one if first > 1 else two).replace("k", "")
    return build("einsum", [left, right], f"{one},{two}->{out}")


@lowers("Gemm")
def gemm(node: OnnxNode) -> Expr:
    """A product of matrices and what is added to it, each times a number."""
    alpha, beta = node.attr("alpha", 1.0), node.attr("beta", 1.0)
    found = build(
        "nn.matmul",
        node.input(0),
        node.input(1),
        transpose_a=bool(node.attr("transA", 0)),
        transpose_b=bool(node.attr("transB", 0)),
    )
    dtype = node.dtype()
    if alpha != 1:
        found = build("multiply", found, const(alpha, dtype))
    if not node.has(2) or beta == 0:
        return found
    added = node.input(2)
    if beta != 1:
        added = build("multiply", added, const(beta, dtype))
    return build("add", found, added)


@lowers("Einsum")
def einsum(node: OnnxNode) -> Expr:
    """Products and sums by letters; axes that an ellipsis stands for get letters of their own."""
    equation = str(node.attr("equation")).replace(" ", "")
    left, arrow, right = equation.partition("->")
    given = left.split(",")
    if len(given) != len(node.inputs):
        raise Unlowered(f"its equation names {len(given)} operands of {len(node.inputs)}")
    free = [each for each in string.ascii_letters if each not in equation]
    unnamed = [node.rank(at) - len(term.replace("...", "")) for at, term in enumerate(given)]
    most = max([n for n, term in zip(unnamed, given, strict=True) if "..." in term] or [0])
    if min(unnamed) < 0 or most > len(free):
        raise Unlowered("its equation names more axes than there are")
    spread = "".join(free[:most])
    parts, terms = [], []
    for at, term in enumerate(given):
        whole = term.replace("...", spread[most - unnamed[at] :])
        part, named = node.input(at), whole
        for letter in dict.fromkeys(each for each in named if named.count(each) > 1):
            size = node.sizes(at)[whole.index(letter)]
            while named.count(letter) > 1:
                part, named = _diagonal(part, named, letter, size)
        parts.append(part)
        terms.append(named)
    if not arrow:
        letters = left.replace("...", "").replace(",", "")
        right = "..." + "".join(sorted({each for each in letters if letters.count(each) == 1}))
    return build("einsum", parts, f"{','.join(terms)}->{right.replace('...', spread)}")


def _diagonal(part: Expr, term: str, letter: str, size: int) -> tuple[Expr, str]:
    """Return a tensor in which two axes of one letter are one, the last, and its letters."""
    first = term.index(letter)
    second = term.index(letter, first + 1)
    others = [at for at in range(len(term)) if at not in (first, second)]
    turned = build("transpose", part, axes=(*others, first, second))
    flat = build("reshape", turned, (*[0] * len(others), size * size))
    places = const(np.arange(size) * (size + 1), "int64")
    found = build("take", flat, places, axis=len(others))
    return found, "".join([term[at] for at in others]) + letter


@lowers("Det")
def determinant(node: OnnxNode) -> Expr:
    """Determinants of square matrices: products of pivots, each the greatest of its column."""
    *batch, rows, columns = node.sizes()
    if rows != columns:
        raise Unlowered(f"its matrices have {rows} rows and {columns} columns")
    op = Numbers(work_type(node.dtype()))
    left = build("reshape", build("cast", node.input(0), op.dtype), (-1, rows, rows))
    found = build("full", op.of(1), (prod(batch),), op.dtype)
    for size in range(rows, 0, -1):
        column = build("take", left, const(0, "int64"), axis=2)
        place = build("argmax", op("abs", column), axis=(1,), keepdims=True)
        is_it = build("equal", build("cast", place, "int64"), const(np.arange(size), "int64"))
        is_it = build("expand_dims", is_it, axis=2)
        top = build("sum", op("where", is_it, left, 0), axis=(1,), keepdims=True)
        others = op("where", is_it, build("take", left, const([0], "int64"), axis=1), left)
        pivot = build("take", top, const([0], "int64"), axis=2)
        flat = build("reshape", pivot, (-1,))
        is_first = build("equal", build("reshape", place, (-1,)), const(0, "int32"))
        found = op("multiply", found, op("where", is_first, flat, op("negative", flat)))
        rest = const(np.arange(1, size), "int64")
        below = build("take", others, rest, axis=1)
        first = build("take", below, const([0], "int64"), axis=2)
        by = op("where", op("equal", pivot, 0), 0, op("divide", first, pivot))
        product = op("multiply", by, build("take", top, rest, axis=2))
        left = op("subtract", build("take", below, rest, axis=2), product)
    return build("cast", build("reshape", found, tuple(batch)), node.dtype())


@lowers("MatMulInteger")
def matmul_integer(node: OnnxNode) -> Expr:
    """Products of integers of eight bits, from which zero points are taken."""
    parts = []
    for place in range(2):
        wide = build("cast", node.input(place), "int32")
        if node.has(place + 2):
            zero = build("cast", node.input(place + 2), "int32")
            if place == 0 and node.rank(2) == 1 and node.type(2).shape != (1,):
                zero = build("expand_dims", zero, axis=1)
            wide = build("subtract", wide, zero)
        parts.append(wide)
    if node.rank(0) == node.rank(1) == 2:
        return build("nn.matmul", *parts, out_dtype="int32")
    if _broadcasts(node, node.rank(0), node.rank(1)) or 1 in (node.rank(0), node.rank(1)):
        raise Unlowered("it multiplies stacks of integer matrices that broadcast")
    batch = max(node.rank(0), node.rank(1)) - 2
    letters = "abcdefgh"[:batch]
    one, two = letters[batch - node.rank(0) + 2 :], letters[batch - node.rank(1) + 2 :]
    return build("einsum", parts, f"{one}xk,{two}ky->{letters}xy")
