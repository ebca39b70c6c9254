"""Tensors in files beside a model."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import relayish as relay  # noqa: E402
from relayish.errors import ModelError  # noqa: E402
from relayish.frontend import from_onnx, save_onnx, to_onnx  # noqa: E402
from tests.support.seeds import SOAK  # noqa: E402

pytestmark = pytest.mark.references

"""Whether models of several gigabytes are written."""


def _weights(count=3, size=2000):
    return [np.arange(size, dtype=np.float32) + index for index in range(count)]


def _model(arrays):
    names = [f"w{index}" for index in range(len(arrays))]
    info = helper.make_tensor_value_info
    nodes = [helper.make_node("Concat", names, ["y"], axis=0)]
    initializers = [numpy_helper.from_array(each, n) for each, n in zip(arrays, names, strict=True)]
    outputs = [info("y", TensorProto.FLOAT, [sum(each.size for each in arrays)])]
    graph = helper.make_graph(nodes, "g", [], outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def _external(tmp_path, **changes):
    """Write a model of one tensor beside it; return its path."""
    (tmp_path / "data").write_bytes(np.arange(8, dtype=np.float32).tobytes())
    (tmp_path.parent / "outside").write_bytes(bytes(99))
    tensor = TensorProto(name="w0", data_type=1, dims=[4], data_location=1)
    told = {"location": "data", "offset": "8", "length": "16", **changes}
    for key, value in told.items():
        if value is not None:
            tensor.external_data.add(key=key, value=value)
    model = _model([np.zeros(4, np.float32)])
    del model.graph.initializer[:]
    model.graph.initializer.append(tensor)
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def _constants(mod):
    found, tail = [], mod["main"].body
    while type(tail) is relay.Let:
        if type(tail.value) is relay.Constant:
            found.append(tail.value.data)
        tail = tail.body
    return found


def test_tensors_are_written_beside_a_model_and_read(tmp_path):
    arrays = [*_weights(), np.array([1.5], np.float32)]
    path = tmp_path / "model.onnx"
    save_onnx(from_onnx(_model(arrays)), path, external_data=True)
    onnx.checker.check_model(path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["model.onnx", "model.onnx.data"]
    stored = onnx.load(path, load_external_data=False).graph.initializer
    assert [each.data_location for each in stored] == [1, 1, 1, 0]
    for stored_array, array in zip(onnx.load(path).graph.initializer, arrays, strict=True):
        assert numpy_helper.to_array(stored_array).tobytes() == array.tobytes()
    for read, array in zip(_constants(from_onnx(path)), arrays, strict=True):
        assert read.tobytes() == array.tobytes()


def test_tensors_are_mapped_and_not_copied(tmp_path):
    path = tmp_path / "model.onnx"
    save_onnx(from_onnx(_model(_weights())), path, external_data=True)
    constants = _constants(from_onnx(path))
    assert len({id(each.base) for each in constants}) == 1
    assert type(constants[0].base).__name__ == "mmap"


def test_more_tensors_than_files_may_be_open_are_read(tmp_path):
    path = tmp_path / "model.onnx"
    save_onnx(from_onnx(_model(_weights(1500, 16))), path, external_data=True, size_threshold=0)
    assert len(_constants(from_onnx(path))) == 1500


def test_folder_is_told_for_bytes(tmp_path):
    data = _external(tmp_path).read_bytes()
    assert _constants(from_onnx(data, folder=tmp_path))[0].tolist() == [2, 3, 4, 5]


def test_model_may_be_written_over_itself(tmp_path):
    path = tmp_path / "model.onnx"
    arrays = _weights()
    save_onnx(from_onnx(_model(arrays)), path, external_data=True)
    save_onnx(from_onnx(path), path, external_data=True)
    for read, array in zip(_constants(from_onnx(path)), arrays, strict=True):
        assert read.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"location": "missing"}, "no such file is beside the model"),
        ({"location": "../outside"}, "outside of the folder"),
        ({"location": "/etc/hostname"}, "outside of the folder"),
        ({"location": "link"}, "outside of the folder"),
        ({"location": ""}, "outside of the folder"),
        ({"location": None}, "outside of the folder"),
        ({"location": "a\0b"}, "names no file"),
        ({"location": "x" * 5000}, "names no file"),
        ({"location": "."}, "no such file"),
        ({"offset": "20"}, "lies in bytes 20 to 36 of data, which has 32"),
        ({"offset": "-8"}, "lies in bytes -8"),
        ({"offset": "eight"}, "expected numbers"),
        ({"length": "12"}, "has 12 bytes in data; expected 16"),
    ],
)
def test_bad_place_is_refused(tmp_path, changes, message):
    path = _external(tmp_path, **changes)
    (tmp_path / "link").symlink_to(tmp_path.parent / "outside")
    with pytest.raises(ModelError, match=message) as caught:
        from_onnx(path)
    assert "initializer 'w0'" in str(caught.value)


def test_empty_file_holds_a_tensor_of_nothing(tmp_path):
    path = tmp_path / "model.onnx"
    (tmp_path / "data").touch()
    tensor = TensorProto(name="w0", data_type=1, dims=[0], data_location=1)
    tensor.external_data.add(key="location", value="data")
    model = _model([np.zeros(0, np.float32)])
    model.graph.initializer[0].CopyFrom(tensor)
    path.write_bytes(model.SerializeToString())
    assert _constants(from_onnx(path))[0].shape == (0,)


def test_nothing_is_left_where_a_model_cannot_be_written(tmp_path):
    path = tmp_path / "model.onnx"
    save_onnx(from_onnx(_model(_weights())), path, external_data=True)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    mod = from_onnx(_model(_weights()))
    main = mod["main"]
    body = relay.Let(relay.Var("all"), main.body, relay.Var("unbound"))
    bad = relay.IRModule({"main": main.with_fields(body=body)}, attrs=mod.attrs)
    with pytest.raises(ModelError, match="bound by nothing"):
        save_onnx(bad, path, external_data=True)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_data_is_put_back_where_the_model_cannot_be_replaced(tmp_path):
    path = tmp_path / "model.onnx"
    path.mkdir()
    (path / "full").touch()
    (tmp_path / "model.onnx.data").write_bytes(b"old")
    with pytest.raises(ModelError, match="cannot be written"):
        save_onnx(from_onnx(_model(_weights())), path, external_data=True)
    assert (tmp_path / "model.onnx.data").read_bytes() == b"old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["model.onnx", "model.onnx.data"]


def test_folder_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(ModelError, match="cannot be written: No such file"):
        save_onnx(from_onnx(_model(_weights())), tmp_path / "none" / "model.onnx")


def _huge():
    """Return a module of 3 GB, of which no memory is used until somebody looks at it."""
    array = np.zeros(3 << 28, np.float32)
    array.flags.writeable = False
    var = relay.Var("w")
    return relay.IRModule({"main": relay.Function([], relay.Let(var, relay.Constant(array), var))})


def test_what_is_larger_than_a_message_is_refused_before_it_is_copied():
    with pytest.raises(ModelError, match=r"3,221,225,472 bytes.*save_onnx"):
        to_onnx(_huge())


PROGRAM = """
import sys
from relayish.frontend import from_onnx, save_onnx
save_onnx(from_onnx(sys.argv[1]), sys.argv[2])
fields = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(fields["RssAnon"].split()[0])
"""


@pytest.mark.skipif(not SOAK, reason="writes 6 GB; the soak tries it")
def test_three_gigabytes_take_little_memory(tmp_path):
    source = tmp_path / "source" / "model.onnx"
    source.parent.mkdir()
    tensor = TensorProto(name="w", data_type=1, dims=[3 << 28], data_location=1)
    tensor.external_data.add(key="location", value="data")
    model = _model([np.zeros(1, np.float32)])
    model.graph.initializer[0].CopyFrom(tensor)
    model.graph.node[0].input[0] = "w"
    source.write_bytes(model.SerializeToString())
    with (source.parent / "data").open("wb") as file:
        file.truncate(3 << 30)
    target = tmp_path / "model.onnx"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(source), str(target)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 300_000  # kB
    assert (tmp_path / "model.onnx.data").stat().st_size == 3 << 30
