"""Files in binary form: written whole or not at all, mapped when they are read."""

from __future__ import annotations

import gc
import mmap
import os
import stat
import weakref
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from relayish.binary import arrays as binary_arrays
from relayish.binary import (
    from_binary,
    inspect_binary,
    is_binary,
    read_binary,
    read_phase,
    to_binary,
    write_binary,
)
from relayish.binary.layout import VERSION
from relayish.errors import FieldError
from relayish.functor import ExprMutator
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Constant, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.text.relay.b2a import a2b
from tests.support.each import each


def constants(count: int = 3) -> IRModule:
    arrays = [np.arange(100 * index + 100, dtype="float32") for index in range(count)]
    return IRModule.from_expr(Tuple(tuple([Constant(array) for array in arrays])))


def data_of(mod: IRModule) -> list[Any]:
    return [constant.data for constant in mod["main"].body.fields]


def test_module_and_phase_come_back_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "model.rly"
    write_binary(constants(), path, phase="FoldConstant#2")
    assert_structural_equal(read_binary(path), constants())
    assert read_phase(path) == "FoldConstant#2"
    assert path.read_bytes() == to_binary(constants(), "FoldConstant#2")
    assert is_binary(path.read_bytes())


def test_file_without_a_phase_has_none(tmp_path: Path) -> None:
    for phase in (None, "", "é"):
        write_binary(Var("x"), tmp_path / "x.rly", phase)
        assert read_phase(tmp_path / "x.rly") == phase


def test_arrays_are_read_only_views_of_the_mapped_file(tmp_path: Path) -> None:
    path = tmp_path / "model.rly"
    write_binary(constants(), path)
    arrays = data_of(read_binary(path))
    assert all(isinstance(array.base, mmap.mmap) for array in arrays)
    assert not any(array.flags.writeable for array in arrays)
    assert [array.ctypes.data % 64 for array in arrays] == [0, 0, 0]
    with pytest.raises(ValueError, match="WRITEABLE"):
        arrays[0].flags.writeable = True


@each("dtype", ["bfloat16", "float8_e5m2", "int4"])
def test_arrays_of_other_element_types_are_mapped_too(tmp_path: Path, dtype: str) -> None:
    array = np.arange(200).astype(getattr(ml_dtypes, dtype))
    write_binary(Constant(array), tmp_path / "x.rly")
    found = read_binary(tmp_path / "x.rly").data
    assert isinstance(found.base, mmap.mmap)
    assert found.tobytes() == array.tobytes()


def test_mapped_arrays_are_held_by_further_constants_without_a_copy(tmp_path: Path) -> None:
    write_binary(constants(), tmp_path / "x.rly")
    mod = read_binary(tmp_path / "x.rly")
    array = data_of(mod)[0]
    assert Constant(array).data is array
    assert mod["main"].body.fields[0].with_fields(span=None).data is array
    assert ExprMutator().visit(mod["main"]).body.fields[0].data is array


def test_array_over_a_file_mapped_for_writing_is_copied(tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(bytes(64))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        array = np.ndarray((64,), "uint8", mapped)
        array.flags.writeable = False
        held = Constant(array).data
        assert held is not array
        assert held.base is None
        del array


def test_mapping_is_released_with_its_last_array(tmp_path: Path) -> None:
    write_binary(constants(), tmp_path / "x.rly")
    mod = read_binary(tmp_path / "x.rly")
    last = data_of(mod)[1]
    mapping = weakref.ref(last.base)
    del mod
    assert mapping() is not None
    assert last[7] == 7
    del last
    assert mapping() is None


def test_nothing_keeps_what_was_written_or_read(tmp_path: Path) -> None:
    gc.disable()
    try:
        mod = constants()
        write_binary(mod, tmp_path / "x.rly")
        made = read_binary(tmp_path / "x.rly")
        kept = [weakref.ref(mod["main"]), weakref.ref(made["main"])]
        del mod, made
        assert [ref() for ref in kept] == [None, None]
    finally:
        gc.enable()


def test_arrays_are_copied_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "x.rly"
    write_binary(constants(), path)
    arrays = data_of(read_binary(path, mapped=False))
    assert [array.base for array in arrays] == [None, None, None]
    path.write_bytes(b"")
    assert arrays[0][99] == 99


def test_replacing_a_file_does_not_touch_what_is_mapped_of_it(tmp_path: Path) -> None:
    path = tmp_path / "x.rly"
    write_binary(constants(), path)
    mod = read_binary(path)
    write_binary(Var("x"), path)
    assert_structural_equal(mod, constants())
    write_binary(mod, path)
    assert_structural_equal(read_binary(path), mod)


def test_small_arrays_are_packed(tmp_path: Path) -> None:
    many = Tuple(tuple([Constant(np.array([index, 1])) for index in range(1000)]))
    write_binary(many, tmp_path / "x.rly")
    assert (tmp_path / "x.rly").stat().st_size < 1000 * (16 + 4 + 8)
    assert read_binary(tmp_path / "x.rly").fields[7].data[0] == 7


def test_large_arrays_are_written_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binary_arrays, "_PIECE", 64)
    array = np.arange(1001, dtype="int16")
    fortran = np.asfortranarray(np.arange(600, dtype="float32").reshape(20, 30))
    given = DictAttrs({"plain": array, "fortran": fortran, "strided": array[::3]})
    write_binary((given,), tmp_path / "x.rly")
    (made,) = read_binary(tmp_path / "x.rly")
    for name, value in given.items():
        assert made[name].tobytes() == value.tobytes(), name
    pieces = list(binary_arrays.pieces_of([array, fortran, array[::3]]))
    assert max(map(len, pieces)) == 64


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.rly"
    write_binary(Var("old"), path)
    with pytest.raises(FieldError):
        write_binary((object(),), path)
    assert read_binary(path).name_hint == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["x.rly"]


def test_failure_while_writing_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.rly"
    write_binary(Var("old"), path)

    def fail(_descriptor: int) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        write_binary(constants(), path)
    assert read_binary(path).name_hint == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["x.rly"]


def test_permissions_are_kept_and_links_followed(tmp_path: Path) -> None:
    real, link = tmp_path / "real.rly", tmp_path / "link.rly"
    write_binary(Var("x"), real)
    real.chmod(0o600)
    link.symlink_to(real)
    write_binary(Var("y"), link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert read_binary(real).name_hint == "y"


def test_a_pipe_is_read_as_it_is(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as file:
        file.write(to_binary(Constant(np.arange(20))))
    assert read_binary(f"/dev/fd/{reader}").data[19] == 19
    os.close(reader)


def test_inspecting_tells_what_a_file_holds(tmp_path: Path) -> None:
    path = tmp_path / "x.rly"
    write_binary(constants(), path, phase="done")
    found = inspect_binary(path)
    assert (found.version, found.phase, found.num_arrays) == (VERSION, "done", 3)
    assert found.size == path.stat().st_size
    assert found.objects["node relay.constant"] == 3
    assert found.objects["array <f4"] == 3
    assert found.producer.startswith("relayish ")


def test_descriptor_is_closed_with_the_mapping(tmp_path: Path) -> None:
    write_binary(Function((), Tuple(())), tmp_path / "x.rly")
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir()))
    for _ in range(50):
        read_binary(tmp_path / "x.rly")
    assert len(list(descriptors.iterdir())) == before


@pytest.mark.parametrize("given", ["text", None, 10**15])
def test_what_is_no_bytes_is_refused_and_nothing_allocated(given: object) -> None:
    with pytest.raises(FieldError, match="bytes in binary form are read; found"):
        from_binary(given)  # type: ignore[arg-type]


def test_phase_that_is_no_string_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.rly"
    with pytest.raises(FieldError, match=r"a phase is a string, or None; found 3"):
        write_binary(Constant(np.float32(1)), path, phase=3)  # type: ignore[arg-type]
    assert not path.exists()


def test_bytes_are_no_text() -> None:
    with pytest.raises(FieldError, match="the text of a program is read; found"):
        a2b(b"x")  # type: ignore[arg-type]
