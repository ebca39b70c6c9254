"""Stubs of what a package declares: operators, passes, kinds of nodes."""

from __future__ import annotations

import ast
import sys

import pytest

from relayish.cli.main import main
from relayish.errors import PackageError
from relayish.ir.nodes.node import declared_temporarily
from relayish.stubs.package import HOME, kind_stubs_of, modules_of, stubs_of

pytestmark = pytest.mark.slow("imports every pass and operator, to write what is said of each")

DECLARATIONS = '''\
"""Declarations of a package."""

from __future__ import annotations

import enum

import relayish as relay
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.transform import register_pass


def same(call: relay.Call, data: relay.Type) -> relay.Type:
    return data


relay.register_op("stubbed.shift", arguments=("data",), rule=same, description="Add one.")
relay.register_op("stubbed_alone", arguments=("data",), rule=same)
relay.register_op("stubbed.class", arguments=("data",), rule=same)
relay.register_op("while", arguments=("data",), rule=same)
relay.register_op("with.enter", arguments=("data",), rule=same)


class Mode(str, enum.Enum):
    FAST = "fast"


@attrs("stubbed.attrs.OddAttrs")
class OddAttrs(Attrs):
    said: str = 'a\\\\b"""c'
    limit: float = float("inf")
    mode: str = Mode.FAST


def odd_type(attrs: OddAttrs, data: relay.Type) -> relay.Type:
    return data


relay.register_op("stubbed.odd", rule=odd_type)


@relay.node("stubbed_loop")
class StubbedLoop(relay.Expr):
    """Evaluate ``init``, for ever."""

    init: relay.Expr
    unlikely_member: tuple[str, ...] = ()


@register_pass("StubbedPass", opt_level=1)
def stubbed_pass(func: relay.Function, *, depth: int = 3) -> relay.Function:
    """Give the function back."""
    return func
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package in the working directory, which is not installed; its declarations are undone."""
    folder = tmp_path / "stubbed_package"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "inner" / "__init__.py").write_text("", encoding="utf-8")
    (folder / "__main__.py").write_text("raise SystemExit(9)", encoding="utf-8")
    (folder / "inner" / "declared.py").write_text(DECLARATIONS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with declared_temporarily():
        yield tmp_path
    for name in [name for name in sys.modules if name.startswith("stubbed_package")]:
        del sys.modules[name]


def defined(text: str) -> dict[str, ast.stmt]:
    return {each.name: each for each in ast.parse(text).body if hasattr(each, "name")}


@pytest.mark.usefixtures("package")
def test_stubs_know_operators_passes_and_handlers_of_a_package():
    found = stubs_of(["stubbed_package"])
    face = defined(found["relayish/__init__.pyi"])
    operators = {each.name: each for each in face["stubbed"].body if hasattr(each, "name")}
    shift = operators["shift"]
    assert ast.unparse(shift.args) == "data: _Arg"
    assert ast.get_docstring(shift).startswith("Add one.")
    assert "stubbed_alone" in face
    passes = defined(found["relayish/transform/__init__.pyi"])
    assert ast.get_docstring(passes["StubbedPass"]) == "Give the function back."
    assert "depth: int = 3" in found["relayish/transform/__init__.pyi"]
    handlers = found["relayish/functor/relay/handlers.pyi"]
    assert handlers.count("_stubbed_loop(") == 3
    assert "import stubbed_package.inner.declared as _stubbed_package_inner_declared\n" in handlers
    assert '"unlikely_member"' in found["relayish/ir/relay/expr.pyi"]


@pytest.mark.usefixtures("package")
def test_stubs_leave_out_names_that_are_keywords_and_write_odd_defaults_as_they_are():
    face = defined(stubs_of(["stubbed_package"])["relayish/__init__.pyi"])
    operators = {each.name: each for each in face["stubbed"].body if hasattr(each, "name")}
    assert operators.keys() == {"shift", "odd"}
    assert face.keys().isdisjoint({"while", "with"})
    defaults = operators["odd"].args.defaults
    assert [ast.literal_eval(each) for each in defaults] == ['a\\b"""c', ..., ...]


@pytest.mark.usefixtures("package")
def test_stubs_say_nothing_else_that_the_installed_ones_do_not():
    found = stubs_of(["stubbed_package"])
    assert "relayish/tir/handlers.pyi" not in found
    transform = found["relayish/transform/__init__.pyi"].splitlines()
    installed = (HOME / "transform" / "__init__.pyi").read_text(encoding="utf-8").splitlines()
    assert len([line for line in transform if line not in {*installed}]) < 8
    for path in found:
        for parent in list((HOME.parent / path).relative_to(HOME.parent).parents)[:-1]:
            assert f"{parent.as_posix()}/__init__.pyi" in found


@pytest.mark.usefixtures("package")
def test_face_finds_modules_that_do_not_stand_beside_it():
    face = stubs_of(["stubbed_package"])["relayish/__init__.pyi"]
    assert "import relayish.tir as tir\n" in face
    assert "from relayish import " not in face
    public = next(
        ast.literal_eval(each.value)
        for each in ast.parse(face).body
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "__all__"
    )
    assert {"tir", "Expr", "var"} <= {*public}


def test_modules_of_a_package_are_imported_but_for_what_runs_it(package):
    assert [module.__name__ for module in modules_of(["stubbed_package"])] == [
        "stubbed_package",
        "stubbed_package.inner",
        "stubbed_package.inner.declared",
    ]
    (path,) = kind_stubs_of(["stubbed_package.inner.declared"])
    assert path == package / "stubbed_package" / "inner" / "declared.pyi"


@pytest.mark.usefixtures("package")
def test_package_that_declares_nothing_needs_the_face_alone():
    assert [*stubs_of(["stubbed_package.inner.__init__"])] == ["relayish/__init__.pyi"]


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("no_package_of_that_name", "expected the name of a package"),
        ("no_package.inside", "expected the name of a package"),
        ("stubbed_broken", "mend it"),
        ("stubbed_needing", "mend it"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_the_reason(name, advice, tmp_path, monkeypatch):
    (tmp_path / "stubbed_broken.py").write_text("1 / 0", encoding="utf-8")
    (tmp_path / "stubbed_needing.py").write_text("import no_such_module", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PackageError, match=rf"{name} cannot be imported: \w+Error: .*; {advice}"):
        stubs_of([name])


def test_command_writes_stubs_into_a_folder_and_tells_which(package, capsys):
    assert main(["stubs", "stubbed_package"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "typings/relayish/__init__.pyi" in said
    assert all((package / line).exists() for line in said)
    assert not (package / "stubbed_package" / "inner" / "declared.pyi").exists()


def test_command_writes_stubs_beside_modules_of_kinds_where_asked(package, capsys):
    assert main(["stubs", "stubbed_package", "-o", "elsewhere", "--kinds"]) == 0
    beside = package / "stubbed_package" / "inner" / "declared.pyi"
    assert str(beside) in capsys.readouterr().out
    assert "unlikely_member: _collections_abc.Sequence[str] | None = ()" in beside.read_text(
        encoding="utf-8"
    )
    assert (package / "elsewhere" / "relayish" / "__init__.pyi").exists()


def test_command_says_what_cannot_be_imported(capsys):
    assert main(["stubs", "no_package_of_that_name"]) == 2
    assert "no_package_of_that_name cannot be imported" in capsys.readouterr().err
