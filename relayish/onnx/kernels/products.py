"""Products of matrices and tensors of floating-point numbers, and determinants."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric import products
from relayish.numeric.precision import narrow, widen
from relayish.numeric.products import matrix_product
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import check_broadcasts


@kernel("MatMul", since=(1, 9, 13))
def matmul(a: Array, b: Array) -> Array:
    """Return the product of matrices, or of stacks of them, as ``numpy.matmul`` has it."""
    return matrix_product(a, b, a.dtype)


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
    left, right = widen(a.T if transA else a), b.T if transB else b
    y = matrix_product(left, right, left.dtype)
    if alpha != 1:
        y = (y * alpha).astype(y.dtype, copy=False)
    if c is not None and beta != 0:
        check_broadcasts(c, y.shape, "C")
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


@kernel("Einsum", since=(12, 28))
def einsum(*inputs: Array, equation: str) -> Array:
    """Return the sum of products that an equation of Einstein's form says."""
    return products.einsum(equation, inputs)


@kernel("Det", since=(11, 22))
def det(x: Array) -> Array:
    """Return the determinants of square matrices (..., m, m)."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise EvaluationError(f"the input has shape {x.shape}; expected square matrices")
    return narrow(np.linalg.det(widen(x)), x)
