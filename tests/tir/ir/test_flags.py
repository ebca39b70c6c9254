"""Flags of loops, devices, kinds of memory, targets: their members, texts and checks."""

from __future__ import annotations

import pickle

import pytest

from relayish import tir
from relayish.errors import FieldError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.text import astext, parse_node
from relayish.tir import BindInfo, DeviceAPI, ForType, MemoryType, VectorizeInfo
from relayish.tir.ir.target import HOST_TARGET, NVGPU_TARGET, UNKNOWN_TARGET
from tests.support.each import each

I = tir.var("i")  # noqa: E741
EMPTY = tir.Block()


def test_flags_of_loops_have_cinn_s_numbers():
    assert {flag.name: flag.value for flag in ForType} | {"SERIAL": ForType.SERIAL.value} == {
        "SERIAL": 0, "PARALLEL": 1, "VECTORIZED": 2, "UNROLLED": 4, "GPU_THREAD": 8,
        "GPU_BLOCK": 16, "GPU_LANE": 32, "DEFAULT": 64,
    }  # fmt: skip


def test_enumerations_have_cinn_s_members():
    assert [member.name for member in DeviceAPI] == ["UNK", "HOST", "GPU", "CUDA", "OPENCL"]
    assert [member.name for member in MemoryType] == [
        "AUTO",
        "HEAP",
        "STACK",
        "GPU_SHARED",
        "GPU_LOCAL",
    ]
    assert [member.name for member in tir.CallType] == ["EXTERN", "CINN", "INTRINSIC", "ISL"]
    assert [member.value for member in tir.ReduceType] == [
        *("sum", "sub", "mul", "div", "max", "min", "all", "any")
    ]
    assert [member.name for member in tir.UnrollMode] == ["DEFAULT", "FULL", "NEVER"]
    assert [member.name for member in tir.ArgumentIO] == ["UNKNOWN", "INPUT", "OUTPUT"]


@each("api", DeviceAPI)
def test_loop_and_function_keep_each_device(api):
    loop = tir.For(I, 0, 4, EMPTY, device_api=api)
    func = tir.LoweredFunc("f", (), EMPTY, device_api=api)
    for node in (loop, func):
        assert pickle.loads(pickle.dumps(node)).device_api is api
        assert parse_node(astext(node)).device_api is api


@each("kind", MemoryType)
def test_buffer_keeps_each_kind_of_memory(kind):
    buffer = tir.Buffer("_A", (4,), memory_type=kind)
    assert pickle.loads(pickle.dumps(buffer)).memory_type is kind
    assert parse_node(astext(buffer)).memory_type is kind


@each("flags", [ForType(bits) for bits in range(128)])
def test_loop_keeps_each_set_of_flags(flags):
    for loop in (
        tir.For(I, 0, 4, EMPTY, flags),
        tir.PolyFor(I, 0, I < 4, 1, EMPTY, flags),
    ):
        again = parse_node(astext(loop))
        assert again.for_type == flags
        assert structural_equal(again, loop)


@each("target", [UNKNOWN_TARGET, HOST_TARGET, NVGPU_TARGET, HOST_TARGET._replace(libs=("mkl",))])
def test_buffer_and_module_keep_each_target(target):
    for node in (tir.Buffer("_A", (4,), target=target), tir.Module("m", target)):
        assert pickle.loads(pickle.dumps(node)).target == target
        assert parse_node(astext(node)).target == target


@pytest.mark.parametrize("given", [1, "serial", None, tir.DeviceAPI.HOST])
def test_loop_of_what_is_no_flag_is_refused(given):
    with pytest.raises(FieldError, match=r"a loop is of a ForType, such as ForType.SERIAL; found"):
        tir.For(I, 0, 4, EMPTY, given)


@each("field", ["device_api", "vectorize_info", "bind_info", "metadata"])
def test_loop_refuses_what_is_no_such_thing(field):
    with pytest.raises(FieldError, match=f"For.{field} must be"):
        tir.For(I, 0, 4, EMPTY, **{field: 3})


@each("info", [VectorizeInfo(), VectorizeInfo(0, 0), VectorizeInfo(-1, 4)])
def test_vectorisation_without_level_or_factor_is_none(info):
    assert not info.is_valid


def test_vectorisation_has_a_level_and_a_factor():
    assert VectorizeInfo(0, 16).is_valid


@each(
    "info",
    [
        BindInfo(),
        BindInfo(ForType.GPU_THREAD, 3),
        BindInfo(ForType.GPU_LANE, 0),
        BindInfo(ForType.GPU_BLOCK, -1),
    ],
)
def test_binding_that_names_no_index_is_none(info):
    assert not info.is_valid
    with pytest.raises(FieldError, match="names no axis; expected GPU_THREAD or GPU_BLOCK"):
        str(info)


@each("offset", range(3))
def test_binding_is_written_as_in_cinn(offset):
    assert str(BindInfo(ForType.GPU_BLOCK, offset)) == f"blockIdx.{'xyz'[offset]}"
    assert str(BindInfo(ForType.GPU_THREAD, offset)) == f"threadIdx.{'xyz'[offset]}"
