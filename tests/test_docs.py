"""What the documentation shows is what happens: every example is run."""

from __future__ import annotations

import doctest
import functools
import importlib
import importlib.util
import pkgutil
import re
import sys
import types
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

import relayish as relay
from relayish.ir.nodes.node import declared_temporarily
from tests.support.compiled_loops import skip_without_compiler
from tests.support.each import each
from tests.support.numpy_text import as_numpy_writes
from tests.support.optional_modules import importable
from tools.doc_examples import FENCE, PAGES, page_name, python_of
from tools.links import ROOT, own_file

PACKAGES = [
    f"relayish.{module.name}"
    for module in pkgutil.iter_modules(relay.__path__)
    if module.name != "__main__"
]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


class Checker(doctest.OutputChecker):
    """Takes no offence at the line that follows a printed program, which ends with its own."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        want, got = want.rstrip("\n"), got.rstrip("\n")
        shown = (want, as_numpy_writes(want))  # the first where code is shown that calls numpy
        return any(super(Checker, self).check_output(each, got, optionflags) for each in shown)


def speaks_of_models(name: str, source: str) -> bool:
    """Return whether examples read models of ONNX, which takes a package that may be missing."""
    return "onnx" in name or re.search(r"onnx|from_torch|OnnxSession", source) is not None


def speaks_of_torch(source: str) -> bool:
    """Return whether examples export modules of torch."""
    return "import torch" in source


def speaks_of_compilers(source: str) -> bool:
    """Return whether examples compile C, for which there may be no compiler."""
    return re.search(r"(tir|core)\.(build|tune)\(|build_(network|on_cpu)\(", source) is not None


def failures(test: doctest.DocTest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run examples in a module of their own; kinds of nodes they declare are forgotten."""
    module = types.ModuleType(f"examples_of_{test.name.replace('.', '_')}")
    vars(module).update(test.globs, __name__=module.__name__)
    # classes that examples define, and what their annotations name, are looked up there
    monkeypatch.setitem(sys.modules, module.__name__, module)
    test.globs = vars(module)
    report: list[str] = []
    runner = doctest.DocTestRunner(checker=Checker(), verbose=False)
    with declared_temporarily():
        runner.run(test, out=report.append, clear_globs=False)
    return "".join(report) if runner.failures else ""


@functools.cache
def modules_of(package: str) -> Sequence[types.ModuleType]:
    """Return a package with all modules in it, but for those that run when they are imported."""
    face = importlib.import_module(package)
    inside = pkgutil.walk_packages(getattr(face, "__path__", []), f"{package}.")
    names = importable([module.name for module in inside])
    return [face, *map(importlib.import_module, names)]


@pytest.fixture(autouse=True, scope="module")
def _whole_package():
    """Examples run where everything is imported: none does so while declarations are temporary."""
    for package in PACKAGES:
        modules_of(package)


@functools.cache
def examples_of_docstrings(package: str) -> Sequence[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [test for module in modules_of(package) for test in finder.find(module) if test.examples]


@pytest.mark.slow("imports every module of the package")
def test_hundreds_of_docstrings_have_examples():
    assert sum(len(examples_of_docstrings(package)) for package in PACKAGES) > 300


def reads_models(test: doctest.DocTest) -> bool:
    return speaks_of_models(test.name, "".join(example.source for example in test.examples))


def failures_of_docstrings(tests: Iterable[doctest.DocTest], monkeypatch) -> str:
    public = {name: getattr(relay, name) for name in relay.__all__}
    for test in tests:
        test.globs = {**public, **test.globs}
    return "".join(failures(test, monkeypatch) for test in tests)


@pytest.mark.slow("builds what examples of loops build")
def test_the_examples_of_docstrings_of_loops_do_what_they_say(monkeypatch):
    tests = examples_of_docstrings("relayish.tir")
    assert not (report := failures_of_docstrings(tests, monkeypatch)), report


@pytest.mark.parametrize("package", [each for each in PACKAGES if each != "relayish.tir"])
def test_the_examples_of_docstrings_do_what_they_say(package, monkeypatch):
    tests = [test for test in examples_of_docstrings(package) if not reads_models(test)]
    assert not (report := failures_of_docstrings(tests, monkeypatch)), report


@pytest.mark.references
def test_the_examples_of_docstrings_that_read_models_do_what_they_say(monkeypatch):
    pytest.importorskip("onnx")
    found = [test for package in PACKAGES for test in examples_of_docstrings(package)]
    tests = [test for test in found if reads_models(test)]
    assert tests
    assert not (report := failures_of_docstrings(tests, monkeypatch)), report


def examples_of_page(page: Path) -> Any:  # Any: a parameter
    """Return the examples of a page, marked where they need a package that may be missing."""
    source = python_of(page.read_text(encoding="utf-8"))
    marks = [pytest.mark.references] if speaks_of_models(page.stem, source) else []
    if speaks_of_torch(source):
        marks.append(pytest.mark.slow("imports torch and its exporter"))
        marks.append(pytest.mark.filterwarnings("ignore"))  # which both raise
    if "tir.tune(" in source:
        marks.append(pytest.mark.slow("compiles what a search tries"))
    if source.count("tir.Schedule(") > 8:
        marks.append(pytest.mark.slow("schedules four programs, and counts what they do"))
    if "opcheck(" in source:
        marks.append(pytest.mark.slow("checks an operator in chains of 100,000 calls"))
    if page.name == "README.md":
        marks.append(pytest.mark.slow("goes through a program of 100,000 nodes"))
    return pytest.param(page, source, id=page_name(page), marks=marks)


@pytest.mark.parametrize(("page", "source"), [*map(examples_of_page, PAGES)])
def test_the_examples_of_a_page_do_what_it_says(page, source, monkeypatch):
    if speaks_of_models(page.stem, source):
        pytest.importorskip("onnx")
    if speaks_of_torch(source):
        pytest.importorskip("torch")
        pytest.importorskip("onnxscript")
    if speaks_of_compilers(source):
        skip_without_compiler()
    monkeypatch.chdir(ROOT)
    test = doctest.DocTestParser().get_doctest(source, {}, page.stem, str(page), 0)
    assert not (report := failures(test, monkeypatch)), report


@each("page", PAGES)
def test_python_blocks_of_a_page_are_examples_that_run(page):
    for fence in FENCE.finditer(page.read_text(encoding="utf-8")):
        if fence[1] == "python":
            assert fence[2].startswith(">>> ")


@each("page", [*sorted({*PAGES, *ROOT.glob("*.md")})])
def test_the_links_of_a_page_lead_somewhere(page):
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(prose):
        assert (page.parent / target).exists(), target
    for address in re.findall(r"\]\((https://[^)\s]+)\)", prose):
        file = own_file(address)
        assert file is None or file.exists(), address


def test_the_readme_which_others_show_has_addresses_for_links():
    prose = FENCE.sub("", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert LINK.findall(prose) == []
    assert (
        sum(own_file(address) is not None for address in re.findall(r"https://[^)\s]+", prose)) > 20
    )


def test_the_readme_has_exactly_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [fence[2].strip() for fence in FENCE.finditer(text) if fence[1] == "sh"]
    assert len(commands) == 2
    assert all("\n" not in command for command in commands)
    assert "relayish optimize examples/" in commands[0]
    assert commands[1].endswith("-m pytest -q -n auto")


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples").glob("*.relay")), ids=lambda p: p.stem
)
def test_an_example_program_prints_as_text_that_reads_back_the_same(example):
    mod = relay.parse(example.read_text(encoding="utf-8"), example.name)
    relay.assert_structural_equal(relay.parse(relay.astext(mod)), mod)
