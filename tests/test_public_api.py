"""What ``import relayish as relay`` offers."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import relayish as relay
from tests.support.each import each
from tests.support.optional_modules import importable

PACKAGE = Path(relay.__file__).parent

PROMISED = str.split("""
var const Var GlobalVar Constant Tuple TupleGetItem Call Let If Function RefCreate RefRead RefWrite
Match Clause PatternWildcard PatternVar PatternConstructor PatternTuple Constructor TypeData
TensorType TupleType FuncType RefType TypeVar GlobalTypeVar TypeCall IncompleteType TypeRelation
TypeKind Any IRModule ExprFunctor ExprVisitor ExprMutator MixedModeVisitor MixedModeMutator
ExprRewriter TypeFunctor TypeVisitor TypeMutator PatternFunctor PatternVisitor PatternMutator
LetList Span Op scalar_type expand_a_normal_form post_order_rewrite memoized Memoized
parse fromtext parse_expr astext structural_equal structural_hash assert_structural_equal
first_mismatch transform analysis dataflow evaluate create_executor
ScopeBuilder frontend prelude testing
""")


def run(script: str) -> str:
    """Return what a fresh interpreter prints for ``script``."""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@each("name", PROMISED)
def test_face_has_every_name_that_is_promised(name):
    assert name in relay.__all__
    assert getattr(relay, name) is not None


@each("name", relay.__all__)
def test_every_name_of_the_face_is_there_and_documented(name):
    assert inspect.getdoc(getattr(relay, name))


def test_the_face_has_no_name_twice():
    assert len(set(relay.__all__)) == len(relay.__all__)


def test_names_are_those_of_the_modules_they_come_from():
    assert relay.Any is importlib.import_module("relayish.ir.relay.type").Any


def test_star_import_brings_every_name():
    scope: dict[str, object] = {}
    exec("from relayish import *", scope)
    assert set(relay.__all__) <= set(scope)


def test_dir_lists_the_face_and_operators_without_private_names():
    shown = dir(relay)
    assert set(relay.__all__) <= set(shown)
    assert not [name for name in shown if name.startswith("_")]


def test_a_misspelt_name_is_an_error_with_a_suggestion():
    with pytest.raises(AttributeError, match="did you mean ExprVisitor"):
        _ = relay.ExprVistor


def test_hasattr_is_false_for_names_nobody_has():
    assert not hasattr(relay, "no_such_thing")
    assert not hasattr(relay, "__wrapped__")


def test_the_stub_declares_exactly_the_names_of_the_face():
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text())
    declared = {
        alias.asname: f"{statement.module}.{alias.name}"
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom)
        and statement.module not in ("collections.abc", "typing", "relayish.op")
        for alias in statement.names
    }
    assert sorted(n for n in declared if n) == sorted(relay.__all__)
    for name, origin in declared.items():
        module, _, attribute = origin.rpartition(".")
        assert getattr(importlib.import_module(module), attribute) is getattr(relay, str(name))


def test_importing_the_package_loads_neither_numpy_nor_a_module_of_its_own():
    loaded = run(
        "import sys; before = set(sys.modules); import relayish; "
        "print(*(set(sys.modules) - before))"
    ).split()
    assert "numpy" not in loaded
    assert [name for name in loaded if name.startswith("relayish")] == ["relayish"]


def test_using_nodes_loads_no_pass_and_no_text():
    loaded = run(
        "import sys; import relayish as relay; relay.Tuple(()); relay.ExprMutator; "
        "print(*sys.modules)"
    ).split()
    for unneeded in ("relayish.text", "relayish.transform", "relayish.passes", "relayish.op"):
        assert unneeded not in loaded


def test_a_function_stays_one_when_the_package_of_its_name_is_imported():
    script = "import relayish.draw.drawing, relayish as relay; print(relay.draw.__name__)"
    assert run(script) == "draw"


def test_the_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").exists()


def modules() -> list[str]:
    walked = pkgutil.walk_packages([str(PACKAGE)], "relayish.")
    return importable([module.name for module in walked])


@each("name", modules())
def test_every_module_imports_by_itself_and_says_what_it_is(name):
    assert importlib.import_module(name).__doc__


@each("name", modules())
def test_all_lists_only_names_that_are_there(name):
    module = importlib.import_module(name)
    for public in getattr(module, "__all__", ()):
        assert hasattr(module, public), f"{name}.{public}"


IMPORTS_ALL = pytest.mark.slow("imports the packages, and renders the help of each")
MODULES = [
    pytest.param("relayish", marks=IMPORTS_ALL),
    *(f"relayish.{name}" for name in relay._PACKAGES),
]


class Shown(pydoc.TextDoc):
    """Shows a class once: modules show theirs, and most go by several names."""

    def __init__(self) -> None:
        self.classes: dict[type, str] = {}
        self.things: dict[int, tuple[object, str]] = {}

    def docclass(self, shown: type, *names: object) -> str:
        if shown not in self.classes:
            self.classes[shown] = super().docclass(shown, *names)
        return self.classes[shown]

    def of(self, thing: object) -> str:
        if id(thing) not in self.things:
            self.things[id(thing)] = thing, pydoc.render_doc(thing, renderer=self)
            inspect.getmembers(thing)
        return self.things[id(thing)][1]


HELP = Shown()


def of_others(thing: object) -> bool:
    """Return whether a name is that of a module of another package, such as ``np``."""
    return inspect.ismodule(thing) and thing.__name__.partition(".")[0] != "relayish"


@pytest.mark.parametrize("module", MODULES)
def test_help_works_on_every_public_name(module):
    face = importlib.import_module(module)
    for name in {*dir(face), *getattr(face, "__all__", ())}:
        if not name.startswith("_") and not of_others(thing := getattr(face, name)):
            assert HELP.of(thing), name


def test_help_of_a_pass_shows_its_docstring_and_its_options():
    shown = pydoc.plain(pydoc.render_doc(relay.transform.FoldConstant))
    assert "FoldConstant(*, fold_qnn" in shown or "FoldConstant(fold_qnn" in shown
    assert "Constant folding" in shown


@pytest.mark.parametrize("name", ["O0", "O4", "Check", "FoldConstant", "FunctionPass"])
def test_names_that_are_made_are_documented(name):
    assert inspect.getdoc(getattr(relay.transform, name))


def test_module_is_run_as_the_command_is():
    done = subprocess.run(
        [sys.executable, "-m", "relayish", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("relayish ")


def test_misspelling_of_relay_is_found_and_not_offered():
    analysis = relay.analysis
    assert analysis.extract_intermdeiate_expr is analysis.extract_intermediate_expr
    assert "extract_intermdeiate_expr" not in {*dir(analysis), *analysis.__all__}
    with pytest.raises(AttributeError, match="did you mean free_vars"):
        _ = analysis.free_var


def test_the_stub_of_analyses_declares_exactly_their_names():
    tree = ast.parse((PACKAGE / "analysis" / "__init__.pyi").read_text())
    declared = {
        str(alias.asname): f"{statement.module}.{alias.name}"
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert sorted(declared) == sorted(relay.analysis.__all__)
    for name, origin in declared.items():
        module, _, attribute = origin.rpartition(".")
        assert getattr(importlib.import_module(module), attribute) is getattr(relay.analysis, name)


def test_importing_one_analysis_loads_no_other():
    loaded = run(
        "import sys; from relayish.analysis import infer_type, well_formed; "
        "import relayish.analysis.infer_type.program; print(*sys.modules); "
        "assert callable(infer_type) and callable(relayish.analysis.infer_type)"
    ).split()
    assert "relayish.analysis.well_formed" in loaded
    assert "relayish.analysis.memory_plan" not in loaded


def test_optimising_a_model_loads_no_data_flow_analysis():
    loaded = run("import sys; import relayish.cli.optimize; print(*sys.modules)").split()
    assert "relayish.dataflow" not in loaded
