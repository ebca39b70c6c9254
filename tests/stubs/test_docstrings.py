"""Stubs hold the docstrings that there are at run time, which editors show where one points."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import relayish as relay
from relayish.stubs.docstrings import docstring, function, literal
from tests.support.each import each
from tools.stubs import FACE, TRANSFORM, modules_of_kinds

TEXTS = [
    "One line.",
    'Ends in a "quote"',
    "Has '''three''' and \"\"\" of the other.",
    "A \\back\\slash\\",
    "Ends in one \\",
    "Two.\n\nLines, \\n with\n    a margin.",
    "Ends in 'quotes'",
    "",
]


@each("text", TEXTS)
def test_docstring_in_a_stub_means_the_text(text):
    for margin in ("", "    "):
        made = "class A:\n" + literal(text, margin or " ") if text else 'class A:\n ""\n'
        assert ast.get_docstring(ast.parse(made).body[0]) == text.strip()


def test_function_without_docstring_is_said_in_a_line():
    assert function("def f() -> int", lambda: 1, "  ") == "  def f() -> int: ...\n"
    assert docstring(lambda: 1, "  ") == ""


@functools.cache
def documented(path) -> dict[str, str | None]:
    """Return what a stub says of each public thing that is called, by dotted name."""
    return dict(_documented(ast.parse(path.read_text(encoding="utf-8")).body, ""))


def _documented(body: list[ast.stmt], within: str) -> Iterator[tuple[str, str | None]]:
    for found in body:
        if isinstance(found, (ast.FunctionDef, ast.ClassDef)) and not found.name.startswith("_"):
            name = f"{within}{found.name}"
            is_prefix = isinstance(found, ast.ClassDef) and _is_prefix(found)
            if not is_prefix:
                yield name, ast.get_docstring(found)
            if is_prefix:
                yield from _documented(found.body, f"{name}.")


def _is_prefix(found: ast.ClassDef) -> bool:
    """Return whether a class of the stub stands for operators whose names begin alike."""
    return all(
        isinstance(each, ast.ClassDef)
        or [*map(ast.unparse, getattr(each, "decorator_list", []))] == ["staticmethod"]
        for each in found.body
    )


def at_run_time(root: Any, name: str) -> Any:
    return functools.reduce(getattr, name.split("."), root)


def test_every_operator_has_its_docstring_in_the_stub():
    found = {name: text for name, text in documented(FACE).items() if name != "qnn"}  # a module
    assert len(found) > 280
    differing = {
        name: text
        for name, text in found.items()
        if text is None or text != inspect.getdoc(at_run_time(relay, name))
    }
    assert differing == {}


@pytest.mark.slow("imports every pass")
def test_every_pass_has_its_docstring_in_the_stub():
    found = documented(TRANSFORM)
    assert len(found) > 140
    there = {name: inspect.getdoc(at_run_time(relay.transform, name)) for name in found}
    assert found == there
    assert None not in found.values()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nn.conv2d", "convol"),
        ("nn.relu", "Replace negative elements by zero"),
        ("nn.dense", "Multiply"),
        ("nn.batch_norm", "ormali"),
        ("add", "Add two tensors element by element"),
        ("concatenate", "axis"),
        ("image.resize2d", "esize"),
        ("vision.get_valid_counts", "boxes"),
        ("qnn.op.quantize", "uantis"),
        ("annotation.stop_fusion", "fus"),
    ],
)
def test_words_are_shown_where_one_points_at_an_operator(name, words):
    found = {**documented(FACE), **_of_quantised()}
    assert words in (found[name] or "")


def _of_quantised() -> dict[str, str]:
    made = ast.parse(FACE.read_text(encoding="utf-8")).body
    (quantised,) = [each for each in made if getattr(each, "name", "") == "_QuantisedOperators"]
    return {f"qnn.op.{name}": str(text) for name, text in _documented(quantised.body, "")}


@each("name", modules_of_kinds())
def test_kinds_and_their_methods_have_their_docstrings_in_the_stub(name):
    module = importlib.import_module(name)
    path = FACE.parent.parent.joinpath(*name.split(".")).with_suffix(".pyi")
    for found in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(found, (ast.ClassDef, ast.FunctionDef)) and found.name in vars(module):
            there = vars(module)[found.name]
            if "__doc__" in vars(there) or not isinstance(there, type):
                assert ast.get_docstring(found) == (
                    there.__doc__ and inspect.cleandoc(there.__doc__)
                )


def test_docstring_is_none_of_a_class_above():
    class Below(relay.transform.FunctionPass):
        pass

    assert not docstring(Below, "")
