"""The storeys of the package: who may import whom."""

from __future__ import annotations

import ast
import functools
import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import node_kinds
from tests.support.each import each
from tests.support.optional_modules import importable

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "relayish"
MAX_LINES = 600

# lowest first; those on one line are peers. "ir.relay" is the part of "ir" that is Relay's
LAYERS = (
    ("_kernel",),
    ("_support.printable", "_support.retired"),
    ("errors",),
    ("_support",),
    ("numeric", "onnx.element_types", "parallel"),
    ("ir",),
    ("onnx.kernels",),
    ("registry",),
    ("functor", "text", "binary"),
    ("pass_infra",),
    ("dataflow", "domain", "rewriting"),
    ("ir.relay",),
    ("functor.relay", "op"),
    ("text.relay", "dataflow.relay", "binary.relay"),
    ("analysis", "prelude"),
    ("rewriting.relay",),
    ("interpreter", "dataflow_pattern", "tir", "core", "onnx"),
    ("pass_infra.relay",),
    ("passes",),
    ("transform",),
    ("draw", "frontend", "codegen", "stubs"),
    ("tuning",),
    ("cli", "testing"),
    ("tvm",),
    ("__main__",),
)
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}

GROUND = {name for names in LAYERS[: LAYERS.index(("ir.relay",))] for name in names}
"""The storeys that know no kind of node."""

FACES = {name.removesuffix(".relay") for name in HEIGHT if name.endswith(".relay")} - {"ir"}

FILES = sorted(PACKAGE.rglob("*.py"))


class Import(NamedTuple):
    importer: str
    imported: str
    line: int
    guarded: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = frozenset(module_name(path) for path in FILES)


def layer_of(module: str) -> str | None:
    """Return the storey of a module; ``None`` outside the package and for its face.

    The face of a package that has a part for Relay shows that part as well, so it stands there.
    """
    parts = module.split(".")
    if parts[0] != "relayish" or len(parts) < 2:
        return None
    if len(parts) == 2:
        return f"{parts[1]}.relay" if parts[1] in FACES else parts[1]
    part = f"{parts[1]}.{parts[2]}"
    return part if part in HEIGHT else parts[1]


def imports_of(path: Path) -> Sequence[Import]:
    """Return every import of a file, wherever it stands, with the modules it names."""
    return looked_through(path).imports


class Found(NamedTuple):
    imports: Sequence[Import]
    names: Sequence[Import]


@functools.cache
def looked_through(path: Path) -> Found:
    """Return what there is in a file, which is parsed and walked once for all tests."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    importer = module_name(path)
    return Found(tuple(imports_in(nodes, importer, path)), tuple(names_in(nodes, importer)))


def names_in(nodes: Sequence[ast.AST], importer: str) -> Iterator[Import]:
    """Yield the modules of the package that a module names in strings, which it could import."""
    for node in nodes:
        if isinstance(node, ast.Constant) and node.value in MODULES and "." in node.value:
            yield Import(importer, node.value, node.lineno, guarded=False)


def imports_in(nodes: Sequence[ast.AST], importer: str, path: Path) -> Iterator[Import]:
    package = importer if path.name == "__init__.py" else importer.rpartition(".")[0]
    checked_only = {
        node
        for guard in nodes
        if isinstance(guard, ast.If) and "TYPE_CHECKING" in ast.dump(guard.test)
        for node in ast.walk(guard)
    }
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(importer, alias.name, node.lineno, node in checked_only)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            for alias in node.names:
                # the name of a module counts as that module: `from relayish import text`
                name = f"{base}.{alias.name}"
                name = name if name in MODULES or base == "relayish" else base
                yield Import(importer, name, node.lineno, node in checked_only)


def wrong(found: Import) -> str | None:
    """Return what is wrong with an import, or ``None``."""
    here, there = layer_of(found.importer), layer_of(found.imported)
    where = f"{found.importer}:{found.line} imports {found.imported}"
    if found.imported.split(".")[0] == "tests":
        return f"{where}: nothing imports the tests"
    if found.imported == "relayish":
        return f"{where}: the face is for users; import from the module the name lives in"
    if there is None:
        return None
    if here is None:
        return f"{where}: the face holds names only, it loads nothing"
    if there not in HEIGHT or here not in HEIGHT:
        return f"{where}: not a storey of the picture"
    if here != there and found.guarded:
        return f"{where}: under TYPE_CHECKING, across storeys"
    if here != there and HEIGHT[there] == HEIGHT[here]:
        return f"{where}: {here} and {there} are peers"
    if HEIGHT[there] > HEIGHT[here]:
        return f"{where}: {there} stands above {here}"
    return None


@pytest.mark.slow("parses every module of the package")
@each("path", FILES)
def test_a_module_imports_only_from_storeys_below(path):
    assert [problem for found in imports_of(path) if (problem := wrong(found))] == []


@each("path", FILES)
def test_a_module_names_in_strings_no_storey_above(path):
    here = layer_of(module_name(path))
    named = looked_through(path).names if here is not None else ()
    assert [problem for found in named if (problem := wrong(found))] == []


@each("path", FILES)
def test_a_file_has_at_most_600_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


@pytest.mark.slow("parses every module of the package")
@each("path", FILES)
def test_a_module_is_called_by_what_it_is(path):
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    begins = told.split(maxsplit=1)[:1]
    assert begins
    assert begins[0] not in {"How", "What", "When", "Where", "Which", "Who", "Why"}


def test_every_module_of_the_package_stands_on_a_storey():
    stray = [module_name(p) for p in FILES if layer_of(module_name(p)) not in {*HEIGHT, None}]
    assert stray == []


def import_all():
    for name in importable([module_name(path) for path in FILES]):
        importlib.import_module(name)


@pytest.mark.slow("imports every module of the package")
def test_the_ground_declares_no_kind_of_node():
    import_all()
    own = [kind for kind in node_kinds().values() if kind.__module__.startswith("relayish.")]
    assert own
    assert [kind for kind in own if layer_of(kind.__module__) in GROUND] == []


def test_every_storey_is_there():
    found = {layer_of(module_name(path)) for path in FILES} - {None}
    assert found == set(HEIGHT)


def test_no_module_imports_itself_by_way_of_others():
    waiting = {
        module_name(path): {each.imported for each in imports_of(path)} & MODULES for path in FILES
    }
    while waiting:
        free = [name for name, targets in waiting.items() if not targets & waiting.keys()]
        assert free, f"these import each other: {sorted(waiting)}"
        for name in free:
            del waiting[name]


def test_the_picture_in_the_documentation_is_this_table():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture = re.search(r"<!-- layers.*?-->\n```text\n(.*?)```", text, re.DOTALL)
    assert picture is not None
    drawn = []
    for line in picture[1].splitlines():
        head = re.split(r"\s{3,}", line, maxsplit=1)[0]
        drawn.append(tuple(name.strip() for name in head.split("|")))
    assert tuple(drawn[::-1]) == LAYERS


def test_every_table_of_kinds_is_named_in_the_documentation():
    import_all()
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    modules = [sys.modules[name] for name in MODULES if name in sys.modules]
    values = [value for module in modules for value in vars(module).values()]
    names = {value.name for value in values if isinstance(value, KindTable)}
    assert names
    assert sorted(name for name in names if f"`{name}`" not in text) == []


def test_every_table_and_function_of_registration_that_is_named_is_there():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`(relay(?:ish)?(?:\.\w+)*)\.(register_\w+|[A-Z_]+)`", text)
    assert named
    for place, name in named:
        module = importlib.import_module(re.sub(r"^relay\b", "relayish", place))
        found = getattr(module, name)
        assert callable(getattr(found, "register", found)), f"{place}.{name}"


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("from relayish.pass_infra import Pass", "pass_infra.relay stands above"),
        ("from relayish.transform import Pass", "transform stands above"),
        ("def f():\n    from relayish.passes import fold_constant", "stands above"),
        ("from relayish import text", "text.relay stands above"),
        ("import relayish.cli.main", "stands above"),
        ("from ..op import registry", "op stands above"),
        ("from ..binary import files", "peers"),
        ("from relayish.ir.relay.expr import Var", "ir.relay stands above functor"),
        ("from . import relay", "functor.relay stands above functor"),
        ("from relayish.functor import ExprVisitor", "functor.relay stands above functor"),
        ("from relayish import var", "not a storey"),
        ("import relayish", "the face is for users"),
        ("from tests.shared_data import shared_path", "nothing imports the tests"),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import relayish.ir.nodes",
            "TYPE_",
        ),
    ],
)
def test_the_check_finds_an_import_that_breaks_a_rule(source, complaint):
    path = PACKAGE / "functor" / "made_up.py"
    nodes = list(ast.walk(ast.parse(source)))
    found = imports_in(nodes, "relayish.functor.made_up", path)
    problems = [problem for each in found if (problem := wrong(each))]
    assert len(problems) == 1
    assert complaint in problems[0]


def test_the_check_finds_a_storey_above_that_a_string_names():
    tree = ast.parse('import importlib\nimportlib.import_module("relayish.passes.relay.fold.bind")')
    (found,) = names_in(list(ast.walk(tree)), "relayish.functor.made_up")
    assert "passes stands above functor" in str(wrong(found))


def test_the_check_lets_imports_pass_that_point_down():
    source = "import numpy\nfrom relayish.ir.relay.expr import Var\nfrom ..vtable import Handler"
    path = PACKAGE / "functor" / "relay" / "made_up.py"
    nodes = list(ast.walk(ast.parse(source)))
    found = list(imports_in(nodes, "relayish.functor.relay.made_up", path))
    assert [each.imported for each in found] == [
        "numpy",
        "relayish.ir.relay.expr",
        "relayish.functor.vtable",
    ]
    assert not any(wrong(each) for each in found)


def test_commands_write_to_the_terminal_in_one_place():
    """What they tell goes through what escapes control characters."""
    allowed = {"report.py", "tables.py", "progress.py"}  # tables escape cells; the last moves the
    # cursor itself, on purpose
    direct = re.compile(r"std(?:out|err)\.write\(|\bprint\(|print_exception")
    found = [
        path.name
        for path in sorted((PACKAGE / "cli").rglob("*.py"))
        if path.name not in allowed and direct.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []
