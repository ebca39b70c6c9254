"""Each device, kind of memory, target and flag of loops, in a program: verified, printed, run."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from relayish import tir
from relayish.ir.equality.structural_equal import structural_equal
from tests.support.each import each

N = 8
TARGETS = [
    tir.Target(*parts) for parts in product(tir.TargetOS, tir.TargetArch, tir.TargetBits)
] + [tir.Target(tir.TargetOS.LINUX, features=("avx",), libs=("mkl", "blas"))]
LOOPS: dict[str, dict[str, Any]] = {
    "serial": {},
    "parallel": {"for_type": tir.ForType.PARALLEL},
    "vectorized": {
        "for_type": tir.ForType.VECTORIZED,
        "vectorize_info": tir.VectorizeInfo(0, 4),
    },
    "unrolled": {"for_type": tir.ForType.UNROLLED},
    "default": {"for_type": tir.ForType.DEFAULT},
    **{
        f"{kind.name}.{'xyz'[offset]}": {
            "for_type": kind,
            "bind_info": tir.BindInfo(kind, offset, tir.DeviceAPI.GPU),
        }
        for kind in (tir.ForType.GPU_BLOCK, tir.ForType.GPU_THREAD)
        for offset in range(3)
    },
}


def doubling(
    *,
    loop: dict[str, Any] | None = None,
    buffer: dict[str, Any] | None = None,
    device_api: tir.DeviceAPI = tir.DeviceAPI.UNK,
) -> tir.LoweredFunc:
    """Return the function that stores to ``B`` twice what is in ``A``."""
    source, target = [
        tir.Tensor(name, (N,), "int32", tir.Buffer(f"_{name}", (N,), "int32", **(buffer or {})))
        for name in "AB"
    ]
    i = tir.Var("i")
    body = tir.Block((tir.Store(target, source[i] * 2, (i,)),))
    nest = tir.For(i, 0, N, body, **(loop or {}))
    buffers = (source.buffer, target.buffer)
    return tir.LoweredFunc("f", buffers, tir.Block((nest,)), device_api=device_api)


def check(program: tir.LoweredFunc | tir.Module) -> None:
    """Verify a program, write and read it, and run it in both modes."""
    assert tir.verify(program) == ()
    assert structural_equal(tir.parse(tir.astext(program)), program)
    for mode in ("plain", "vectorised"):
        given, out = np.arange(N, dtype="int32"), np.zeros(N, "int32")
        tir.run(program, given, out, mode=mode)
        assert out.tolist() == list(range(0, 2 * N, 2))


@each("api", tir.DeviceAPI)
def test_loop_and_function_of_each_device(api):
    check(doubling(loop={"device_api": api}, device_api=api))


@each("kind", tir.MemoryType)
def test_buffer_of_each_kind_of_memory(kind):
    check(doubling(buffer={"memory_type": kind}))


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_buffer_and_module_of_each_target(target):
    check(doubling(buffer={"target": target}))
    check(tir.Module("m", target, (), (doubling(),)))


@pytest.mark.parametrize("name", LOOPS)
def test_loop_of_each_kind(name):
    check(doubling(loop=LOOPS[name]))


@each("mode", [None, *tir.UnrollMode])
def test_loop_with_metadata_of_each_mode(mode):
    check(doubling(loop={"metadata": tir.LLVMForLoopMeta(mode, vectorization=False)}))


@each("io", tir.ArgumentIO)
def test_function_with_arguments_of_each_direction(io):
    func = doubling()
    check(func.with_fields(args_io=(io, io)))
