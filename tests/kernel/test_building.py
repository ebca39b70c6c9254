"""The compiled core is built where it can be, chosen by one variable, and said to be there."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import types
from pathlib import Path

import pytest

import relayish
from relayish import _kernel

ROOT = Path(__file__).parent.parent.parent
HOME = ROOT / "relayish" / "_kernel"
HEADER = (HOME / "kernel.h").read_text(encoding="utf-8")
SOURCES = sorted(path.relative_to(ROOT).as_posix() for path in HOME.glob("*.c"))


def run(script: str, pure: str | None = None) -> str:
    """Return what a fresh interpreter prints, with ``RELAYISH_PURE`` set so, or not at all."""
    environment = {name: value for name, value in os.environ.items() if name != "RELAYISH_PURE"}
    environment |= {} if pure is None else {"RELAYISH_PURE": pure}
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


TELL = "import relayish, relayish._kernel as core; print(relayish.compiled, core.MODE, sep='; ')"


def test_whether_it_is_compiled_is_known_without_loading_anything_else():
    loaded = run(
        "import sys, relayish; relayish.compiled; "
        "print(*(name for name in sys.modules if name.startswith(('relayish', 'numpy'))))"
    )
    assert {*loaded.split()} - {"relayish._kernel._compiled"} == {"relayish", "relayish._kernel"}


def test_one_variable_chooses_pure_python():
    assert run(TELL, "1") == "False; pure Python: RELAYISH_PURE is set"


@pytest.mark.parametrize("value", ["", "0"])
def test_the_variable_may_be_set_and_choose_nothing(value):
    assert run(TELL, value) == run(TELL)
    assert "RELAYISH_PURE" not in run(TELL)


def test_a_core_that_was_not_built_is_no_error():
    absent = "import sys; sys.modules['relayish._kernel._compiled'] = None; "
    assert run(absent + TELL) == "False; pure Python: the compiled core was not built"


def test_a_core_that_cannot_be_loaded_is_said_to_be_there_and_why_it_is_not_used():
    broken = (
        "import sys\n"
        "class Broken:\n"
        "    def find_spec(name, *_):\n"
        "        if name.endswith('._compiled'): raise ImportError('undefined symbol: f')\n"
        "sys.meta_path.insert(0, Broken)\n"
    )
    told = "False; pure Python: the compiled core cannot be loaded: undefined symbol: f"
    assert run(broken + TELL) == told


def test_what_the_package_says_is_what_is_in_use():
    assert relayish.compiled is _kernel.compiled
    assert _kernel.compiled == (_kernel.MODE == "compiled core")


EMBEDDED = """
#include <Python.h>

int main(void)
{
    for (int i = 0; i < 3; i++) {
        Py_Initialize();
        PyRun_SimpleString(
            "from relayish import _kernel\\n"
            "print(_kernel.compiled, flush=True)\\n"
            "_kernel.plan('push', type('A', (), {'__slots__': ()}), object, (), None, print)");
        Py_FinalizeEx();
    }
    return 0;
}
"""


@pytest.mark.slow("a program is compiled, in which Python begins anew")
@pytest.mark.skipif(not _kernel.compiled, reason="the compiled core is not in use")
def test_a_python_that_begins_anew_in_a_process_has_pure_python(tmp_path):
    library = sysconfig.get_config_var("LIBDIR")
    version = sysconfig.get_config_var("LDVERSION")
    if not shutil.which("cc") or not list(Path(library).glob(f"libpython{version}.so")):
        pytest.skip("there is no compiler, or no library of Python")
    (tmp_path / "begin.c").write_text(EMBEDDED, encoding="utf-8")
    include = sysconfig.get_path("include")
    linked = [f"-I{include}", f"-L{library}", f"-lpython{version}", f"-Wl,-rpath,{library}"]
    subprocess.run(["cc", "begin.c", "-o", "begin", *linked], cwd=tmp_path, check=True)
    environment = {**os.environ, "PYTHONHOME": sys.base_prefix, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [tmp_path / "begin"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False", "False"]


def extensions(monkeypatch, pure="0", implementation="cpython", version=(3, 12, 1), free=0):
    """Return what setup.py declares where things are so."""
    fake = types.ModuleType("setuptools")
    fake.Extension = lambda name, sources, **more: {"name": name, "sources": sources, **more}
    declared = {}
    fake.setup = declared.update
    monkeypatch.setitem(sys.modules, "setuptools", fake)
    monkeypatch.setenv("RELAYISH_PURE", pure)
    told = {**vars(sys.implementation), "name": implementation}
    monkeypatch.setattr(sys, "implementation", types.SimpleNamespace(**told))
    monkeypatch.setattr(sys, "version_info", version)
    monkeypatch.setattr(sysconfig, "get_config_var", {"Py_GIL_DISABLED": free}.get)
    monkeypatch.chdir(ROOT)
    runpy.run_path(str(ROOT / "setup.py"))
    return declared["ext_modules"]


def test_all_of_the_c_is_built_and_installing_goes_on_without_a_compiler(monkeypatch):
    (core,) = extensions(monkeypatch)
    assert core == {
        "name": "relayish._kernel._compiled",
        "sources": SOURCES,
        "depends": ["relayish/_kernel/kernel.h"],
        "optional": True,
    }


@pytest.mark.parametrize(
    "otherwise",
    [{"pure": "1"}, {"implementation": "pypy"}, {"free": 1}, {"version": (3, 14, 0)}],
    ids=str,
)
def test_it_is_left_out_where_it_is_not_wanted_or_cannot_be(monkeypatch, otherwise):
    assert extensions(monkeypatch, **otherwise) == []


def test_it_is_built_on_the_pythons_that_the_distribution_names(monkeypatch):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = re.findall(r"Python :: 3\.(\d+)", "\n".join(project["project"]["classifiers"]))
    minors = [minor for minor in range(9, 20) if extensions(monkeypatch, version=(3, minor, 2))]
    assert minors == sorted(map(int, named))
    bounds = re.findall(r"PY_VERSION_HEX (<|>=) 0x03([0-9A-F]{2})0000", HEADER.split("#error")[0])
    assert bounds == [("<", f"{minors[0]:02X}"), (">=", f"{minors[-1] + 1:02X}")]
    wheels = project["tool"]["cibuildwheel"]["build"]
    assert wheels == [f"cp3{minor}-*" for minor in minors]


def test_what_would_be_refused_by_the_compiler_is_not_built():
    guard = HEADER.split("#error")[0]
    assert "defined(PYPY_VERSION)" in guard
    assert "defined(Py_GIL_DISABLED)" in guard


@pytest.mark.parametrize("path", [*SOURCES, "relayish/_kernel/kernel.h"])
def test_the_c_is_laid_out_as_the_python_is(path):
    lines = (ROOT / path).read_text(encoding="ascii").splitlines()
    faulty = [
        number
        for number, line in enumerate(lines, 1)
        if len(line) > 100 or "\t" in line or line != line.rstrip()
    ]
    assert faulty == []
