"""Products of matrices and tensors of floating-point numbers, and determinants."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import narrow, widen
from relayish.onnx.kernels.registry import Array, kernel


@kernel("MatMul", since=(1, 9, 13))
def matmul(a: Array, b: Array) -> Array:
    """Return the product of matrices, or of stacks of them, as ``numpy.matmul`` has it."""
    check_product(a, b)
    return narrow(np.matmul(widen(a), widen(b)), a)


def check_product(a: Array, b: Array) -> None:
    """Raise unless ``a`` and ``b`` can be multiplied as matrices.

    Raises:
        EvaluationError: If their shapes do not fit.
    """
    rows = b.shape[-2] if b.ndim > 1 else b.shape[0] if b.ndim else None
    if a.ndim == 0 or rows is None or a.shape[-1] != rows:
        raise EvaluationError(
            f"shapes {a.shape} and {b.shape} do not multiply; expected as many columns in the "
            "first as rows in the second"
        )
    try:
        np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise EvaluationError(
            f"stacks of shapes {a.shape} and {b.shape} do not broadcast; expected sizes before the "
            "last two that are equal or 1"
        ) from None


@kernel("Gemm", since=(7, 9, 11, 13))
def gemm(
    a: Array,
    b: Array,
    c: Array | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,  # noqa: N803 - the attribute's name
    transB: int = 0,  # noqa: N803 - as above
) -> Array:
    """Return ``alpha * a @ b + beta * c``, with matrices transposed as the attributes say."""
    for what, matrix in (("A", a), ("B", b)):
        if matrix.ndim != 2:
            raise EvaluationError(f"{what} has shape {matrix.shape}; expected a matrix")
    left, right = widen(a.T if transA else a), widen(b.T if transB else b)
    check_product(left, right)
    y = left @ right
    if alpha != 1:
        y = (y * alpha).astype(y.dtype, copy=False)
    if c is not None and beta != 0:
        _check_addend(c, y)
        addend = widen(c)
        y = y + (addend if beta == 1 else (addend * beta).astype(y.dtype, copy=False))
    return narrow(y, a)


@kernel("Gemm", since=(1, 6))
def gemm_with_broadcast(
    a: Array,
    b: Array,
    c: Array,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    broadcast: int = 0,
    transA: int = 0,  # noqa: N803 - the attribute's name
    transB: int = 0,  # noqa: N803 - as above
) -> Array:
    """Return ``alpha * a @ b + beta * c``; shapes differ only where ``broadcast`` says so."""
    y = gemm(a, b, None, alpha=alpha, transA=transA, transB=transB)
    if not broadcast and c.shape != y.shape:
        raise EvaluationError(
            f"C has shape {c.shape}, the product {y.shape}; expected equal shapes, or broadcast"
        )
    return gemm(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)


def _check_addend(c: Array, y: Array) -> None:
    padded = (1,) * (y.ndim - c.ndim) + c.shape
    if len(padded) != y.ndim or any(n not in (1, m) for n, m in zip(padded, y.shape, strict=True)):
        raise EvaluationError(
            f"C has shape {c.shape}, which does not broadcast to that of the product, {y.shape}; "
            "expected sizes that are equal or 1"
        )


@kernel("Einsum", since=(12, 28))
def einsum(*inputs: Array, equation: str) -> Array:
    """Return the sum of products that an equation of Einstein's form says."""
    try:
        y = np.einsum(equation.replace(" ", ""), *(widen(x) for x in inputs), optimize=True)
    except ValueError as error:
        shapes = ", ".join(str(x.shape) for x in inputs)
        raise EvaluationError(
            f"the equation {equation!r} does not fit inputs of shapes {shapes}: {error}; "
            "expected a letter for each dimension, of one size wherever it stands"
        ) from error
    return np.asarray(y).astype(inputs[0].dtype, copy=False)


@kernel("Det", since=(11, 22))
def det(x: Array) -> Array:
    """Return the determinants of square matrices (..., m, m)."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise EvaluationError(f"the input has shape {x.shape}; expected square matrices")
    return narrow(np.linalg.det(widen(x)), x)
