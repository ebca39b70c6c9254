"""Small programs over loops, and what they leave, for tests of passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.transform import get_pass


def memory(name: str, *shape: int, dtype: str = "int32") -> tir.Tensor:
    """A tensor over a buffer of its own, which is called as CINN calls it."""
    return tir.Tensor(name, shape, dtype, tir.Buffer(f"_{name}", shape, dtype))


def function(
    tensors: Sequence[tir.Tensor], *stmts: tir.Stmt, scalars: Sequence[tir.Var] = ()
) -> tir.LoweredFunc:
    """A function of the buffers of ``tensors`` and of ``scalars``."""
    buffers = tuple([tensor.buffer for tensor in tensors])
    return tir.LoweredFunc("f", (*scalars, *buffers), tir.Block(tuple(stmts)))


def loop(
    var: tir.Var, low: Any, extent: Any, *stmts: tir.Stmt, kind: str = "SERIAL", lanes: int = 0
) -> tir.For:
    info = tir.VectorizeInfo(0, lanes) if lanes else tir.VectorizeInfo()
    for_type = tir.ForType.VECTORIZED if lanes else tir.ForType[kind]
    return tir.For(var, low, extent, tir.Block(stmts), for_type, vectorize_info=info)


def apply(name: str, func: tir.LoweredFunc) -> tir.LoweredFunc:
    """What a pass makes of a function, which the verifier accepts."""
    image = get_pass(name)(IRModule({"f": func}))["f"]
    assert isinstance(image, tir.LoweredFunc)
    assert not tir.verify(image), [str(each) for each in tir.verify(image)]
    return image


def scheduled(rules: str, func: tir.LoweredFunc, *, exact: bool = True) -> tir.LoweredFunc:
    """What schedules make of a function, which the verifier accepts."""
    step = get_pass("ApplySchedules", rules=rules, exact=exact)
    image = step(IRModule({"f": func}))["f"]
    assert isinstance(image, tir.LoweredFunc)
    assert not tir.verify(image), [str(each) for each in tir.verify(image)]
    return image


def left(func: tir.LoweredFunc, *args: Any) -> list[list[Any]]:
    """What a function leaves in the arrays it is given."""
    arrays = [np.array(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    tir.run(func, *arrays)
    return [array.tolist() for array in arrays if isinstance(array, np.ndarray)]


def nodes(root: tir.IrNode, kind: type[Any]) -> list[Any]:
    """The distinct nodes of a kind, outer ones first."""
    return list(tir.collect_ir_nodes(root, lambda node: isinstance(node, kind)))
