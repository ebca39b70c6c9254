"""Which tests need torch, onnx, Dask or a browser: by their mark ``references`` CI runs them.

The modules that hold such tests, so that no others are collected::

    python -m pytest -m references $(python -m tests.support.references)
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

PACKAGES: Final = ("torch", "onnx", "onnxruntime", "onnxscript", "playwright", "distributed")
NONE_IS_THERE: Final = not any(map(find_spec, PACKAGES))
ROOT: Final = Path(__file__).parents[2]

MISSING = re.compile(rf"could not import '(?:{'|'.join(PACKAGES)})[.']")
MARKED_AT_TOP = re.compile(r"^pytestmark = .*mark\.references", re.MULTILINE)
MARKED = re.compile(r'mark\.references|reference\("(?:torch|onnx)"')
SPEAKS = re.compile(
    r"(?:import|from) (?:torch|onnx|playwright|distributed)"
    r'|importorskip\((?!"(?!torch|onnx|playwright|distributed))|load_onnx'
)
AT_TOP = re.compile(
    r"^(?:import|from) (?:torch|onnx|playwright|distributed)"
    r'|^(?:\w+ = )?pytest\.importorskip\("(?:torch|onnx|playwright|distributed)',
    re.MULTILINE,
)
FROM_TESTS = re.compile(r"^from (tests\.[\w.]+) import", re.MULTILINE)


def fault_of_mark(report: pytest.TestReport, *, is_marked: bool) -> str | None:
    """Return what is wrong with the mark of a test, as far as this run of it tells."""
    if report.skipped and not is_marked and MISSING.search(str(report.longrepr)):
        return (
            f"{report.nodeid} needs a package that it is not marked to need: add "
            f"`@pytest.mark.references`, by which CI runs it ({report.longrepr})"
        )
    if report.passed and report.when == "call" and is_marked and NONE_IS_THERE:
        return (
            f"{report.nodeid} passes without any of {', '.join(PACKAGES)}: take its mark "
            "`references` away, or let the cases that need one be a test of their own"
        )
    return None


def how_much_needs_them(path: Path) -> str:
    """Return whether "all", "some" or "none" of a test module needs one of the packages.

    A helper that another module of tests defines is followed; "some" may be said of a module
    that uses it where it needs none.
    """
    if not may_need(path):
        return "none"  # without a look at its statements, which takes its time
    return "all" if is_needed(path) else "some" if needing_names(path) else "none"


def how_much_is_marked(path: Path) -> str:
    """Return whether "all", "some" or "none" of a test module is marked."""
    source = path.read_text(encoding="utf-8")
    if MARKED_AT_TOP.search(source):
        return "all"
    return "some" if MARKED.search(source) else "none"


@functools.cache
def may_need(path: Path) -> bool:
    """Return whether a module, or one of tests that it imports, speaks of importing a package."""
    source = path.read_text(encoding="utf-8")
    if SPEAKS.search(source):
        return True
    return any(map(may_need, modules_of_tests(source)))


@functools.cache
def is_needed(path: Path) -> bool:
    """Return whether a module cannot be imported without one of the packages."""
    source = path.read_text(encoding="utf-8")
    if AT_TOP.search(source):
        return True
    return any(map(is_needed, modules_of_tests(source)))


def modules_of_tests(source: str) -> Iterator[Path]:
    """Yield the modules of tests that a module imports from when it is imported itself."""
    found = (ROOT / f"{name.replace('.', '/')}.py" for name in FROM_TESTS.findall(source))
    return (each for each in found if each.exists())


@functools.cache
def needing_names(path: Path) -> frozenset[str]:
    """Return the functions of a module that need a package, and those that it imports."""
    needing = {
        name
        for each in statements(path)
        for module, name in imported(each)
        if is_needed(module) or name in needing_names(module)
    }
    functions = [each for each in statements(path) if isinstance(each, ast.FunctionDef)]
    if SPEAKS.search(path.read_text(encoding="utf-8")):
        needing |= {each.name for each in functions if needs_directly(each)}
    if not needing:
        return frozenset()
    uses = {
        each.name: {held.id for held in ast.walk(each) if isinstance(held, ast.Name)}
        for each in functions
    }
    while more := {name for name in uses.keys() - needing if not needing.isdisjoint(uses[name])}:
        needing |= more
    return frozenset(needing)


def needs_directly(statement: ast.AST) -> bool:
    """Return whether a statement imports a package, or skips where there is none."""
    names = (name for each in ast.walk(statement) for name in imported_or_skipped_for(each))
    return any(name.partition(".")[0] in PACKAGES for name in names)


def imported_or_skipped_for(node: ast.AST) -> list[str]:
    """Return the packages that are imported; any of them where the name is computed."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(name)):
            return [name]
        case ast.Call(func=ast.Attribute(attr="importorskip") | ast.Name(id="load_onnx")):
            (name,) = node.args
            return [name.value if isinstance(name, ast.Constant) else PACKAGES[0]]
    return []


def imported(statement: ast.AST) -> Iterator[tuple[Path, str]]:
    """Yield the names that a statement imports from modules of tests, with their files."""
    if not isinstance(statement, ast.ImportFrom):
        return
    module = statement.module or ""
    path = ROOT / f"{module.replace('.', '/')}.py"
    if module.startswith("tests.") and path.exists():
        yield from ((path, alias.name) for alias in statement.names)


@functools.cache
def statements(path: Path) -> tuple[ast.stmt, ...]:
    return tuple(ast.parse(path.read_text(encoding="utf-8")).body)


if __name__ == "__main__":
    modules = sorted((ROOT / "tests").rglob("test_*.py"))
    marked = [path for path in modules if how_much_is_marked(path) != "none"]
    sys.stdout.writelines(f"{path.relative_to(ROOT)}\n" for path in marked)
