"""Short ways to run passes on one expression, and to look at what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from relayish.ir.relay.expr import Call, Expr, Function, Op
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.values.dtype import DType, numpy_dtype
from relayish.ir.values.ndarray import NDArray, as_ndarray
from relayish.prelude import Prelude
from relayish.transform import InferType, Pass, PassContext, Sequential


def run_opt_pass(expr: Expr, passes: Pass | Sequence[Pass], import_prelude: bool = False) -> Expr:
    """Return what passes make of ``expr``.

    Args:
        expr: A function, or an expression, which becomes the body of one without parameters.
        passes: One pass, which is called directly, or several, which run in order, all of them
            enabled up to level 3.
        import_prelude: Whether the module they run on has the prelude.

    Returns:
        A function if ``expr`` is one, else an expression.

    Source:
        Relay ``testing.run_opt_pass``.

    Example:
        >>> from relayish.ir.relay.build import const
        >>> from relayish.op import add
        >>> from relayish.transform import FoldConstant
        >>> run_opt_pass(add(const(1), const(2)), FoldConstant())
        Constant(data=np.int32(3))
    """
    mod = IRModule.from_expr(expr)
    (main,) = mod.get_global_vars()
    if import_prelude:
        mod = Prelude(mod).mod
    if isinstance(passes, Pass):
        mod = passes(mod)
    else:
        with PassContext(opt_level=3):
            mod = Sequential(list(passes))(mod)
    entry = mod[main]
    assert isinstance(entry, Expr)
    if isinstance(expr, Function) or not isinstance(entry, Function):
        return entry
    return entry.body


def run_infer_type(expr: Expr) -> Expr:
    """Return ``expr`` with types; it may have free variables.

    Raises:
        TypeInferenceError: If it is ill-typed.

    Source:
        Relay ``testing.run_infer_type``.

    Example:
        >>> from relayish.ir.relay.build import var
        >>> from relayish.op import exp
        >>> run_infer_type(exp(var("x", shape=(2,)))).checked_type
        TensorType(shape=(2,), dtype='float32')
    """
    return run_opt_pass(expr, InferType())


def count_ops(expr: Expr) -> Counter[str]:
    """Return how often each operator is called in ``expr``; a shared call counts once.

    Source:
        Relay ``testing.count_ops``.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> from relayish.op import add, exp
        >>> from relayish.ir.relay.expr import Var
        >>> e = exp(Var("x"))
        >>> count_ops(add(e, exp(e)))
        Counter({'exp': 2, 'add': 1})
    """
    counted: Counter[str] = Counter()
    for node in EXPRESSIONS.post_order(expr):
        if isinstance(node, Call) and isinstance(node.op, Op):
            counted[node.op.full_name] += 1
    return counted


def rand(dtype: DType, *shape: int) -> NDArray:
    """Return an array of numbers from 0 to 1, drawn from numpy's global state.

    Source:
        Relay ``testing.rand``; ``numpy.random.seed`` makes it repeatable.
    """
    drawn = np.random.random_sample(shape)  # noqa: NPY002 - what Relay's scripts seed
    return as_ndarray(np.asarray(drawn).astype(numpy_dtype(dtype)))


def assert_allclose(
    actual: object, desired: object, rtol: float = 1e-7, atol: float = 1e-7
) -> None:
    """Raise an error unless two tensors have one shape and differ nowhere by much.

    Args:
        actual: What was computed.
        desired: What it should be.
        rtol: How much they may differ, as a part of ``desired``.
        atol: How much more they may differ.

    Raises:
        AssertionError: If they differ; it says where and by how much. A number does not stand
            for a tensor of it, as it does in numpy.

    Source:
        TVM ``testing.assert_allclose``.

    Example:
        >>> assert_allclose(np.float32(1), 1 + 1e-8)
    """
    found, expected = np.asanyarray(actual), np.asanyarray(desired)
    if found.shape != expected.shape:
        raise AssertionError(f"found shape {found.shape}; expected {expected.shape}")
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol, verbose=True)
