"""What the documentation shows is what happens: every example is run."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import relayish as relay
from relayish.ir.node import declared_temporarily

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def python_of(text: str) -> str:
    """Return the Python blocks of a page, everything else blanked, so that lines keep numbers."""
    kept = [""] * (text.count("\n") + 1)
    for fence in FENCE.finditer(text):
        if fence[1] == "python":
            first = text.count("\n", 0, fence.start(2))
            for offset, line in enumerate(fence[2].splitlines()):
                kept[first + offset] = line
    return "\n".join(kept)


class Checker(doctest.OutputChecker):
    """Takes no offence at the line that follows a printed program, which ends with its own."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want.rstrip("\n"), got.rstrip("\n"), optionflags)


def needs_onnx(name: str, source: str) -> bool:
    """Return whether examples speak of models of ONNX, and nothing here can read these."""
    speaks = "onnx" in name or re.search(r"onnx|from_torch|OnnxSession", source) is not None
    return speaks and importlib.util.find_spec("onnx") is None


def run(test: doctest.DocTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run examples in a module of their own; kinds of nodes they declare are forgotten."""
    module = types.ModuleType(f"examples_of_{test.name.replace('.', '_')}")
    vars(module).update(test.globs, __name__=module.__name__)
    # classes that examples define, and what their annotations name, are looked up there
    monkeypatch.setitem(sys.modules, module.__name__, module)
    test.globs = vars(module)
    if needs_onnx(test.name, "".join(example.source for example in test.examples)):
        pytest.skip("the package onnx is not installed")
    report: list[str] = []
    runner = doctest.DocTestRunner(checker=Checker(), verbose=False)
    with declared_temporarily():
        runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_the_examples_of_a_page_do_what_it_says(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    source = python_of(page.read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(source, {}, page.stem, str(page), 0)
    run(test, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_python_blocks_of_a_page_are_examples_that_run(page):
    for fence in FENCE.finditer(page.read_text(encoding="utf-8")):
        if fence[1] == "python":
            assert fence[2].startswith(">>> ")


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_the_links_of_a_page_lead_somewhere(page):
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(prose):
        assert (page.parent / target).exists(), target


def module_examples() -> Iterator[object]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module_info in pkgutil.walk_packages(relay.__path__, "relayish."):
        if module_info.name.endswith("__main__"):
            continue
        if module_info.name.endswith("onnx_backend") and needs_onnx("onnx", ""):
            continue
        module = importlib.import_module(module_info.name)
        for test in finder.find(module):
            if test.examples:
                yield pytest.param(test, id=test.name)


@pytest.mark.parametrize("test", list(module_examples()))
def test_the_examples_of_a_docstring_do_what_it_says(test, monkeypatch):
    public = {name: getattr(relay, name) for name in relay.__all__}
    test.globs = {**public, **test.globs}
    run(test, monkeypatch)


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
