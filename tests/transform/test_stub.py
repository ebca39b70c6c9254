"""What type checkers see of ``relayish.transform`` is what is there."""

from __future__ import annotations

import ast

import pytest

from relayish import transform
from relayish.stubs.passes import own_passes
from relayish.transform import pass_entry
from tools.stubs import TRANSFORM as STUB


def declared() -> set[str]:
    names: set[str] = set()
    for statement in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom):
            names |= {str(alias.asname) for alias in statement.names}
        elif isinstance(statement, (ast.ClassDef, ast.FunctionDef)):
            names.add(statement.name)
        elif isinstance(statement, ast.AnnAssign):
            assert isinstance(statement.target, ast.Name)
            names.add(statement.target.id)
    return {name for name in names if not name.startswith("_")}


def test_stub_declares_every_name_that_is_exported_and_every_pass() -> None:
    exported = {*vars(transform)["__all__"], *vars(transform)["FUNCTIONS"]}
    assert declared() >= exported | {entry.name for entry in own_passes()}
    assert set(dir(transform)) >= exported


@pytest.mark.parametrize("name", ["FoldConstant", "InferType", "DeadCodeElimination", "O2"])
def test_stub_has_the_options_of_a_pass_as_parameters(name: str) -> None:
    found = {
        statement.name: statement
        for statement in ast.parse(STUB.read_text(encoding="utf-8")).body
        if isinstance(statement, (ast.ClassDef, ast.FunctionDef))
    }[name]
    if isinstance(found, ast.ClassDef):
        methods = [item for item in found.body if isinstance(item, ast.FunctionDef)]
        found = next(method for method in methods if method.name == "__init__")
    given = [argument.arg for argument in found.args.args if argument.arg != "self"]
    assert given == [option.name for option in pass_entry(name).options]
