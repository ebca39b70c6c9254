"""Stubs of modules that declare kinds: what constructors take, and which members there are."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import types
from collections.abc import Sequence

import pytest

import relayish as relay
from relayish import core, tir
from relayish.errors import DeclarationError
from relayish.ir.nodes.node import Node, declared_temporarily
from relayish.stubs.kinds import declares_kinds, members_of_kinds, stub_of_kinds
from tests.support.each import each
from tools.stubs import modules_of_kinds

SOURCE = '''\
"""Kinds of a test."""

from __future__ import annotations

from typing import Final, NamedTuple

import relayish as relay

LIMIT: Final = 3
ONE, (TWO, THREE) = 1, (2, 3)
WIDE: Final[int] = 4
_HIDDEN = 5


class Pair(NamedTuple):
    """Two numbers."""

    low: int = 0
    high: int = 1


def as_flag(given: bool | str) -> bool:
    """Return a truth value."""
    return bool(given)


def _private() -> None: ...


@relay.node("stub_spin")
class Spin(relay.Expr):
    """Evaluate ``body`` again and again."""

    var: relay.Var = relay.field(binder=True)
    bodies: tuple[relay.Expr, ...] = relay.field(default=(), scope=relay.Runs.REPEATEDLY)
    times: int = 1
    names: tuple[str, ...] = ()
    pair: Pair = Pair()
    flag: bool = relay.field(default=False, convert=as_flag)
    int: relay.Expr | None = None

    def twice(self) -> Spin:
        """Return another."""
        return self

    def _own(self) -> None: ...


class Counter:
    def __init__(self) -> None:
        self.found: list[str] = []
'''


@pytest.fixture(scope="module")
def stub(tmp_path_factory):
    path = tmp_path_factory.mktemp("kinds") / "kinds_of_a_stub.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("kinds_of_a_stub", path)
    module = importlib.util.module_from_spec(spec)
    with declared_temporarily(), pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "kinds_of_a_stub", module)
        spec.loader.exec_module(module)
        assert declares_kinds(module)
        yield stub_of_kinds(module)


def classes(text: str) -> dict[str, ast.ClassDef]:
    return {each.name: each for each in ast.parse(text).body if isinstance(each, ast.ClassDef)}


def method(found: ast.ClassDef, name: str) -> str:
    (one,) = [
        each for each in found.body if isinstance(each, ast.FunctionDef) and each.name == name
    ]
    return ast.unparse(one.args)


def test_constructor_takes_what_fields_convert(stub):
    given = method(classes(stub)["Spin"], "__init__")
    wanted = (
        "self, var: relay.Var, bodies: Sequence[relay.Expr] | None=(), times: SupportsIndex=1, "
        "names: Sequence[str] | None=(), pair: Pair | tuple[_builtins.int, _builtins.int]=..., "
        "flag: bool | str=False, int: relay.Expr | None=None, *, span: Span | tuple[str, "
    )
    for name in ("_collections_abc.", "_typing.", "_relayish_ir_nodes_span."):
        given = given.replace(name, "")
    given = given.replace("_relayish_ir_relay_expr", "relay")
    assert given.startswith(wanted)


def test_with_fields_takes_each_field_by_name_and_none_has_to_be_given(stub):
    given = method(classes(stub)["Spin"], "with_fields")
    names = [part.split(":")[0].strip() for part in given.split("=...") if ":" in part]
    assert given.startswith("self, /, *, var:")
    assert [name.removeprefix("self, /, *, ").removeprefix(", ") for name in names] == [
        "var", "bodies", "times", "names", "pair", "flag", "int", "span", "checked_type",
    ]  # fmt: skip


def test_what_is_private_or_a_body_is_left_out(stub):
    assert "_HIDDEN" not in stub
    assert "_private" not in stub
    assert "_own" not in stub
    assert "return" not in stub.replace("Return", "")


def test_names_docstrings_and_attributes_of_constructors_are_kept(stub):
    tree = ast.parse(stub)
    assert "LIMIT: Final = 3" in stub
    assert "ONE, (TWO, THREE) = (1, (2, 3))\n" in stub
    assert "WIDE: Final[int]\n" in stub
    assert "low: int = ..." in stub
    assert "found: list[str]" in stub
    found = classes(stub)
    assert ast.get_docstring(found["Spin"]) == "Evaluate ``body`` again and again."
    twice = next(each for each in found["Spin"].body if getattr(each, "name", "") == "twice")
    assert ast.get_docstring(twice) == "Return another."
    assert "as_flag" in {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}


def test_a_kind_has_no_members_but_its_own(stub):
    spin = classes(stub)["Spin"]
    taken_back = [ast.unparse(each) for each in spin.body if isinstance(each, ast.AnnAssign)]
    assert "__getattr__: None" in taken_back


@pytest.mark.parametrize(
    ("family", "some", "none"),
    [
        (relay.Expr, ["args", "body", "data", "with_attr"], ["checked_type", "argz", "update"]),
        (relay.Type, ["shape", "concrete_shape", "arg_types"], ["args_", "span"]),
        (tir.IrNode, ["loop_var", "temp_bufs", "value"], ["derive_type", "update_func"]),
    ],
)
def test_family_has_the_members_of_its_kinds_beside_its_own(family, some, none):
    found = members_of_kinds(family, ["relayish"])
    assert {*some} <= {*found}
    assert not {*none} & {*found}
    assert list(found) == sorted(found)


def test_a_number_is_taken_where_a_language_has_literals_and_nowhere_else():
    def constructor(kind):
        stub = importlib.import_module(kind.__module__)
        return method(classes(stub_of_kinds(stub))[kind.__name__], "__init__")

    assert "min: Expr | _relayish_ir_values_value.Number" in constructor(tir.For)
    assert "Number" not in constructor(relay.Let)
    assert "Number" in constructor(core.St)
    assert "dtype: Type | tuple[str, int, int, bool] | str" in constructor(tir.Var)


@each("name", modules_of_kinds())
def test_constructors_of_stubs_have_the_parameters_of_kinds(name):
    module = importlib.import_module(name)
    for found in classes(stub_of_kinds(module)).values():
        kind = vars(module)[found.name]
        if isinstance(kind, type) and issubclass(kind, Node) and "fields_" in kind.__dict__:
            given = next(
                each
                for each in found.body
                if isinstance(each, ast.FunctionDef) and each.name == "__init__"
            ).args
            names = [each.arg for each in [*given.args[1:], *given.kwonlyargs]]
            assert names == [*inspect.signature(kind._make).parameters]


def test_a_module_without_source_is_refused():
    with pytest.raises(DeclarationError, match="made_up has no source"):
        stub_of_kinds(types.ModuleType("made_up"))


def test_modules_are_told_apart_by_whether_they_declare_kinds():
    assert declares_kinds(sys.modules["relayish.ir.relay.expr"])
    assert not declares_kinds(sys.modules["relayish.ir.relay.module"])
    assert isinstance(modules_of_kinds(), Sequence)


CONDITIONAL = """
from __future__ import annotations
import sys
from typing import TYPE_CHECKING, Any as Anything
import relayish as relay
if TYPE_CHECKING:
    from collections.abc import Sequence
if sys.version_info >= (3, 11):
    def new() -> int: return 1
else:
    _hidden = 3
try:
    from json import loads
except ImportError:
    loads = None
async def later() -> int: return 2
@relay.node("stub_conditional")
class Conditional(relay.Expr):
    parts: tuple[relay.Expr, ...]
"""


@pytest.mark.parametrize("is_package", [False, True])
def test_stub_has_what_is_defined_under_conditions_and_what_a_package_imports(
    tmp_path, monkeypatch, is_package
):
    name = f"stub_conditional_{is_package}".lower()
    file = tmp_path / name / "__init__.py" if is_package else tmp_path / f"{name}.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(CONDITIONAL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with declared_temporarily():
        text = stub_of_kinds(importlib.import_module(name))
    monkeypatch.delitem(sys.modules, name)
    ast.parse(text)
    shown = " as Sequence" if is_package else ""
    assert f"if TYPE_CHECKING:\n    from collections.abc import Sequence{shown}\n" in text
    assert "    def new() -> int: ...\nelse:\n    ...\n" in text
    assert f"from json import loads{' as loads' * is_package}\n" in text
    assert "async def later() -> int: ...\n" in text
    assert "Any as Anything\n" in text
