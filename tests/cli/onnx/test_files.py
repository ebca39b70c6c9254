"""Files that models are read from and written to: permissions, pipes, signals."""

from __future__ import annotations

import os
import signal
import stat
import threading
from pathlib import Path

import numpy as np
import pytest

from relayish.cli.main import main
from relayish.cli.optimizing import one
from relayish.errors import ModelError
from relayish.frontend.onnx import from_onnx, save_onnx
from relayish.ir.equality.structural_equal import structural_equal
from tests.support.small_models import FLOAT, model_of, small_model

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.references

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.onnx"
    path.write_bytes(small_model().SerializeToString())
    return path


def run(*words: object) -> int:
    return main(["optimize", *map(str, words), "--quiet", "--verify", "1"])


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_model_that_is_replaced_has_the_permissions_it_had(model: Path, mode: int) -> None:
    model.chmod(mode)
    before = model.read_bytes()
    assert run(model, "-o", model) == 0
    assert model.read_bytes() != before
    assert stat.S_IMODE(model.stat().st_mode) == mode
    save_onnx(from_onnx(model), model, external_data=True, size_threshold=0)
    beside = model.with_name("m.onnx.data")
    beside.chmod(mode)
    save_onnx(from_onnx(model), model, external_data=True, size_threshold=0)
    assert {stat.S_IMODE(each.stat().st_mode) for each in (model, beside)} == {mode}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="no superuser")
def test_model_that_is_replaced_has_the_owner_it_had(model: Path) -> None:
    os.chown(model, 12345, 12346)
    assert run(model, "-o", model) == 0
    assert (model.stat().st_uid, model.stat().st_gid) == (12345, 12346)


def test_model_that_is_read_only_is_not_replaced(model: Path, capsys: Capture) -> None:
    model.chmod(0o444)
    before = model.read_bytes()
    assert run(model, "-o", model) == 2
    assert f"{model}: the file is read-only" in capsys.readouterr().err
    with pytest.raises(ModelError, match="cannot be written: the file is read-only"):
        save_onnx(from_onnx(model), model)
    assert model.read_bytes() == before
    assert [each.name for each in model.parent.iterdir()] == ["m.onnx"]


def test_link_is_followed(model: Path) -> None:
    link = model.with_name("link.onnx")
    link.symlink_to(model)
    save_onnx(from_onnx(model), link)
    assert link.is_symlink()
    assert run(link, "-o", link) == 0
    assert link.is_symlink()


def test_link_to_another_folder_leads_to_tensors_as_well(model: Path) -> None:
    there = model.parent / "store" / "v1.onnx"
    link = model.parent / "out" / "latest.onnx"
    for path in (there, link):
        path.parent.mkdir()
    link.symlink_to(there)
    save_onnx(from_onnx(model), model, external_data=True, size_threshold=0)
    assert run(model, "-o", link) == 0
    assert sorted(each.name for each in there.parent.iterdir()) == ["v1.onnx", "v1.onnx.data"]
    assert structural_equal(from_onnx(link), from_onnx(there))
    save_onnx(from_onnx(link), link, external_data=True, size_threshold=0)
    assert run(link, "-o", model) == 0


def test_what_is_not_ones_own_loses_the_rights_of_its_owner(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def chown(path: object, owner: int, group: int) -> None:
        given.append((owner, group))
        if owner != -1:
            raise PermissionError(path)

    model.chmod(0o4775)
    state = model.stat()
    monkeypatch.setattr(os, "chown", chown)
    save_onnx(from_onnx(model), model)
    assert given == [(state.st_uid, state.st_gid), (-1, state.st_gid)]
    assert stat.S_IMODE(model.stat().st_mode) == 0o775
    monkeypatch.delattr(os, "chown")  # as where there are no owners
    save_onnx(from_onnx(model), model)


def test_signal_that_is_ignored_is_ignored(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    find = one.find_reference

    def hung_up(*args: object, **options: object) -> object:
        signal.raise_signal(signal.SIGHUP)
        return find(*args, **options)

    monkeypatch.setattr(one, "find_reference", hung_up)
    try:
        assert run(model, "-o", model) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_model_is_taken_whose_shapes_lie_beside_it(model: Path) -> None:
    nodes = [
        onnx.helper.make_node("Unsqueeze", ["x", "axes"], ["row"]),
        onnx.helper.make_node("Reshape", ["row", "shape"], ["y"]),
        onnx.helper.make_node("Neg", ["x"], ["unused"]),
    ]
    constants = {"axes": np.array([0]), "shape": np.array([3, 2])}
    proto = model_of(nodes, {"x": (FLOAT, [2, 3])}, {"y": (FLOAT, [3, 2])}, constants)
    beside = {"save_as_external_data": True, "location": "weights", "size_threshold": 0}
    onnx.save(proto, model, **beside)
    assert main(["check", str(model)]) == 0
    out = model.with_name("out.onnx")
    assert run(model, "-o", out) == 0
    assert [node.op_type for node in onnx.load(out).graph.node] == ["Reshape"]


def test_model_is_read_from_a_pipe(model: Path) -> None:
    pipe, out = model.with_name("pipe"), model.with_name("out.onnx")
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(model.read_bytes()))
    writer.start()
    assert run(pipe, "-o", out) == 0
    writer.join()
    assert run(model, "-o", model) == 0
    assert out.read_bytes() == model.read_bytes()


@pytest.mark.usefixtures("usual_signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_signal_leaves_nothing_behind(
    model: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    number = getattr(signal, name)
    handler = signal.getsignal(number)
    before = model.read_bytes()

    def interrupted(*_args: object, **_options: object) -> None:
        assert len(list(model.parent.iterdir())) > 1  # the result is there, and not in its place
        signal.raise_signal(number)

    monkeypatch.setattr(one, "find_reference", interrupted)
    assert run(model, "-o", model) == 128 + number
    assert capsys.readouterr().err.splitlines()[-1] == f"relayish: ended by {name}"
    assert model.read_bytes() == before
    assert [each.name for each in model.parent.iterdir()] == ["m.onnx"]
    assert signal.getsignal(number) is handler
