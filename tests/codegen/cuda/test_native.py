"""``tir.build`` for a device: what there has to be, and arrays that are copied there and back."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from relayish import tir
from relayish.codegen.cuda import native, to_cuda
from relayish.codegen.cuda.on_cpu import ON_CPU, find_cpp
from relayish.errors import CodegenError, EvaluationError, OptionError
from tests.support import cuda_programs as programs


def test_where_there_is_no_device_this_is_said(monkeypatch):
    monkeypatch.setattr(native, "_count_devices", lambda: 0)
    with pytest.raises(CodegenError, match=r"there is no device: .* has build_on_cpu"):
        tir.build(programs.narrow(), target="cuda")


def test_where_there_is_no_compiler_this_is_said(monkeypatch):
    monkeypatch.setattr(native, "_count_devices", lambda: 1)
    monkeypatch.setattr(native.shutil, "which", lambda _: None)
    with pytest.raises(CodegenError, match="there is no nvcc"):
        tir.build(programs.narrow(), target="cuda")


def test_a_device_is_told_whether_numbers_may_differ(monkeypatch):
    monkeypatch.setattr(native, "_count_devices", lambda: 1)
    monkeypatch.setattr(native.shutil, "which", str)
    assert "-DRELAYISH_LOOSE" not in native.find_nvcc().flags
    assert "-DRELAYISH_LOOSE" in native.find_nvcc(exact=False).flags


def test_there_is_no_other_target():
    with pytest.raises(OptionError, match="there is no target 'opencl'; expected one of c, cuda"):
        tir.build(programs.narrow(), target="opencl")


@functools.cache
def built():
    source = to_cuda(tir.Module("m", functions=(programs.by_first(), programs.dividing())))
    return native.DeviceModule(source._replace(text=f"{ON_CPU}{source.text}"), find_cpp())


def test_arrays_are_copied_to_the_device_and_back():
    given, found = np.arange(20, dtype="float32").reshape(4, 5), np.zeros(4, "float32")
    given.flags.writeable = False
    built()["by_first"](given, found)
    assert found.tolist() == (given * 2).sum(axis=1).tolist()


def test_arrays_with_gaps_are_filled():
    given, memory = np.arange(20, dtype="float32").reshape(4, 5), np.zeros((4, 2), "float32")
    built()["by_first"](given, memory[:, 1])
    assert memory.tolist() == [[0, sum_] for sum_ in (given * 2).sum(axis=1).tolist()]


def test_a_fault_on_the_device_is_raised():
    with pytest.raises(EvaluationError, match="an integer is divided by 0, in "):
        built()["dividing"](np.zeros(6, "int32"), np.zeros(6, "int32"))
