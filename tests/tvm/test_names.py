"""Names of TVM: each is there, or the error says what to write instead."""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import relayish
from relayish import tvm
from relayish.errors import MissingImportError, MissingNameError
from relayish.tvm import relay
from relayish.tvm.absent_members import MEMBERS
from relayish.tvm.absent_names import NAMES
from tests.support.each import each

LIST = Path(__file__).parent.parent / "cases" / "tvm_names.txt"


def read_names():
    text = re.sub(r"\n +", " ", LIST.read_text(encoding="utf-8"))
    rows = [line.split(": ") for line in text.splitlines() if not line.startswith("#")]
    return {module: names.split() for module, names in rows}


TVM = read_names()


def find(path: str) -> object:
    """Return what a script gets for a dotted name that begins with ``tvm``."""
    root, *names = path.split(".")
    found: object = relayish if root == "relayish" else tvm
    for name in names:
        found = getattr(found, name)
    return found


PATHS = {f"{module}.{name}" for module, names in TVM.items() for name in names}


@each("path", sorted(PATHS))
def test_name_of_tvm_is_there_or_its_error_says_what_to_write(path):
    try:
        find(path)
    except MissingNameError as error:
        told = str(error).partition(": ")[2]
        assert re.search(r"write |leave|use ", told), told


def test_python_guesses_at_no_name_beside_what_the_error_says():
    with pytest.raises(MissingNameError) as caught:
        find("tvm.relay.optimize")
    assert caught.value.name == "optimize"
    assert caught.value.obj is None  # among whose names Python would look


@each("module", TVM)
def test_module_of_tvm_is_imported_under_its_name(module):
    try:
        found = find(module)
    except MissingNameError:
        return
    if isinstance(found, type(relayish)):
        assert importlib.import_module(module.replace("tvm", "relayish.tvm", 1)) is found


def home_of(module: str) -> object:
    """Return the module here whose names a table of absent ones is of."""
    above = tvm if module in ("nd", "te", "target", "ir") else relayish
    return tvm if module == "tvm" else find(f"{above.__name__}.{module}")


@each("module", NAMES)
def test_name_that_is_said_to_be_absent_is_not_there(module):
    for name in NAMES[module]:
        with pytest.raises(MissingNameError):
            getattr(home_of(module), name)


@each("name", NAMES["tvm"])
def test_name_that_the_package_is_said_to_lack_is_not_there(name):
    with pytest.raises(MissingNameError):
        getattr(relayish, name)


@each("name", ["cpu", "expr", "nd", "ShapeVar"])
def test_name_that_stands_among_those_of_tvm_is_said_to_stand_there(name):
    with pytest.raises(MissingNameError, match=rf"write relayish\.tvm\.{name}"):
        getattr(relayish, name)
    assert getattr(tvm, name) is not None


def test_relay_stands_among_the_names_of_tvm():
    with pytest.raises(MissingNameError, match=r"from relayish\.tvm import relay$"):
        _ = relayish.relay.var


@each("name", ["TensorAffineType", "TupleAffineType", "make_node", "register_op_attr"])
def test_name_of_operators_stands_in_ir_as_in_tvm(name):
    assert getattr(tvm.ir, name) is getattr(relay.op, name)


def test_path_stands_in_runtime_as_in_tvm():
    assert tvm.runtime.ObjectPath is relay.ObjectPath


def code_of(advice: str) -> list[str]:
    """Return the dotted names of the library that a piece of advice speaks of."""
    return re.findall(r"\b(?:relay|relayish)(?:\.\w+)+", advice)


ADVICE = sorted(
    {told for table in (NAMES, MEMBERS) for part in table.values() for told in part.values()}
)


@each("advice", ADVICE)
def test_advice_names_what_is_there(advice):
    for path in code_of(advice):
        find(path)


def calls_of(advice: str) -> list[ast.Call]:
    """Return the calls of the library that a piece of advice writes out."""
    found = []
    for start in re.finditer(r"\b(?:relay|relayish)(?:\.\w+)+(?=\()", advice):
        ends = (end.end() for end in re.finditer(r"\)", advice) if end.end() > start.end())
        for end in ends:
            try:
                (statement,) = ast.parse(advice[start.start() : end]).body
            except SyntaxError:
                continue
            found.append(statement.value)
            break
    return [call for call in found if isinstance(call, ast.Call)]


def test_calls_are_found_in_advice():
    told = 'write relay.f(a, g(b)), then relayish.h.i("("), and relay.j(k)[0], or relay.l'
    assert [*map(ast.unparse, calls_of(told))] == [
        "relay.f(a, g(b))",
        "relayish.h.i('(')",
        "relay.j(k)",
    ]


@each("advice", ADVICE)
def test_advice_calls_what_is_there_with_arguments_that_it_takes(advice):
    for call in calls_of(advice):
        if any(map(is_open, call.args)) or not isinstance(call.func, ast.Attribute):
            continue
        words = {word.arg: None for word in call.keywords if word.arg is not None}
        with contextlib.suppress(ValueError):  # some classes tell no signature
            known = inspect.signature(find(ast.unparse(call.func)))
            known.bind(*[None for _ in call.args], **words)


def is_open(argument: ast.expr) -> bool:
    """Return whether ``...`` or ``*args`` stands for arguments."""
    return isinstance(argument, ast.Starred) or ast.unparse(argument) == "..."


OTHERS = ("create_executor", "frontend", "ir", "testing", "tir")


@each("name", [name for name in relayish.__all__ if name not in OTHERS])
def test_relay_has_what_the_package_has(name):
    assert getattr(relay, name) is getattr(relayish, name)


def test_star_import_of_relay_brings_every_name():
    scope: dict[str, object] = {}
    exec("from relayish.tvm.relay import *", scope)
    assert set(relayish.__all__) <= set(scope)


def test_dir_of_relay_lists_names_and_modules():
    assert {"var", "nn", "expr", "ty", "build_module"} <= set(dir(relay))


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("relayish.tvm.relay.transform", "relayish.transform"),
        ("relayish.tvm.relay.transform.transform", "relayish.transform"),
        ("relayish.tvm.relay.op", "relayish.op"),
        ("relayish.tvm.relay.op.op", "relayish.op"),
        ("relayish.tvm.relay.op.contrib.register", "relayish.op.contrib.register"),
        ("relayish.tvm.relay.testing.temp_op_attr", "relayish.testing.temp_op_attr"),
        ("relayish.tvm.relay.analysis.call_graph", "relayish.analysis.call_graph"),
        ("relayish.tvm.relay.dataflow_pattern", "relayish.dataflow_pattern"),
    ],
)
def test_module_has_two_names_and_is_one(path, same):
    found, other = importlib.import_module(path), importlib.import_module(same)
    assert found is other
    assert other.__name__ == other.__spec__.name == same


def test_import_of_a_module_leaves_a_function_of_its_name_where_it_is():
    script = (
        "from relayish.tvm.relay.transform.recast import recast\n"
        "from relayish import transform; assert transform.recast is recast"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_module_that_nobody_has_is_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"relayish\.tvm\.relay\.no_such"):
        importlib.import_module("relayish.tvm.relay.no_such")


def test_from_import_of_an_absent_name_says_what_to_write():
    with pytest.raises(MissingImportError, match=r"optimize: write relay\.build"):
        from relayish.tvm.relay import optimize  # noqa: F401, PLC0415
    with pytest.raises(MissingImportError, match="so there is nothing to tune"):
        from relayish import autotvm  # noqa: F401, PLC0415


@each(
    "statement",
    [
        "from relayish.tvm.contrib.debugger.debug_executor import create",
        "import relayish.tvm.topi.testing",
        "from relayish.tvm.relay.quantize import quantize",
        "from relayish.tvm.relay.op.contrib.dnnl import pattern_table",
        "from relayish.tvm.relay.backend.vm import VMCompiler",
        "from relayish.tvm.ir.expr import Range",
        "from relayish.contrib import relay_viz",
    ],
)
def test_import_of_an_absent_module_says_what_to_write(statement):
    with pytest.raises(MissingImportError, match=r"relayish\S* has no \w+: .*write "):
        exec(statement, {})


@each("name", ["expr", "module", "op", "tensor_type", "type", "adt", "base", "affine_type"])
def test_module_within_ir_has_the_names_of_ir(name):
    found = importlib.import_module(f"relayish.tvm.ir.{name}")
    assert found.IRModule is relay.IRModule
    with pytest.raises(AttributeError, match="has no attribute and no operator 'no_such'"):
        _ = found.no_such


def test_module_that_nobody_has_is_found_nowhere():
    for name in ("relayish.no_such", "relayish.tvm.ir.no_such", "relayish.tvm.contrib.no_such"):
        with pytest.raises(ModuleNotFoundError, match=name):
            importlib.import_module(name)


def test_from_import_of_a_misspelt_name_is_what_python_says():
    with pytest.raises(ImportError, match="cannot import name 'vra'"):
        from relayish.tvm.relay import vra  # noqa: F401, PLC0415


def test_absent_name_is_no_attribute():
    assert not hasattr(relay, "optimize")
    with pytest.raises(AttributeError, match="did you mean var"):
        _ = relay.vra


def test_importing_relay_loads_no_operator_and_not_numpy():
    script = "import sys; from relayish.tvm import relay; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "numpy" not in loaded
    assert not [name for name in loaded if name.startswith(("relayish.op", "relayish.ir"))]
