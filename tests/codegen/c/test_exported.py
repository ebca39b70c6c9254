"""Libraries as files: written whole, read back equal, refused where they are no such files."""

import os
import subprocess
import sys

import numpy as np
import pytest

import relayish as relay
from relayish import tvm
from relayish.codegen.c import exported
from relayish.errors import BinaryFormatError


@pytest.fixture(scope="module")
def library():
    """A library with weights, odd names, a nested result, and a check that may fail."""
    x = relay.var("odd name/0", shape=(3,), dtype="int32")
    y = relay.var("y", shape=(2, 5), dtype="float16")
    total = relay.floor_divide(relay.const(np.arange(1, 4, dtype="int32")), x)
    body = relay.Tuple([total, relay.Tuple([y + y, relay.Tuple([])])])
    return tvm.relay.build(relay.IRModule.from_expr(relay.Function([x, y], body)), mod_name="odd")


@pytest.fixture(scope="module")
def path(library, tmp_path_factory):
    path = tmp_path_factory.mktemp("exported") / "deploy_lib.so"
    library.export_library(path)
    return path


GIVEN = {
    "odd name/0": np.array([1, -2, 2], "int32"),
    "y": np.linspace(-3, 3, 10).reshape(2, 5).astype("float16"),
}


def test_a_library_that_is_loaded_is_the_one_that_was_written(library, path, tmp_path):
    loaded = tvm.runtime.load_module(str(path))
    assert loaded.libmod_name == "odd"
    assert loaded.get_source() == library.get_source()
    assert loaded.get_graph_json() == library.get_graph_json()
    for found, wanted in zip(_outputs(loaded), _outputs(library), strict=True):
        assert found.dtype == wanted.dtype
        assert np.array_equal(found, wanted)
    again = tmp_path / "again.so"
    loaded.export_library(again)
    assert again.read_bytes() == path.read_bytes()


def _outputs(lib):
    module = lib["odd"](tvm.cpu())
    module.run(**GIVEN)
    return [module.get_output(at).numpy() for at in range(module.get_num_outputs())]


@pytest.mark.slow("another process")
def test_another_process_loads_it_where_there_is_no_compiler(path):
    script = (
        "import sys, numpy as np\n"
        "from relayish.tvm import runtime\n"
        "net = runtime.load_module(sys.argv[1])['odd'](None)\n"
        "net.run(y=np.ones((2, 5), 'float16'), **{'odd name/0': np.ones(3, 'int32')})\n"
        "print(net.get_output(0).numpy().tolist())\n"
    )
    env = {**os.environ, "PATH": "", "CC": "none"}
    done = subprocess.run(
        [sys.executable, "-c", script, path], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[1, 2, 3]\n"


def test_a_file_for_another_processor_is_refused(path, monkeypatch):
    monkeypatch.setattr(exported, "processor", lambda: "another one")
    with pytest.raises(BinaryFormatError, match="for another processor"):
        tvm.runtime.load_module(path)


def test_a_file_that_cannot_be_is_told(library, tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        library.export_library(tmp_path / "nowhere" / "net.so")
    with pytest.raises(OSError, match="nowhere"):
        tvm.runtime.load_module(tmp_path / "nowhere.so")
