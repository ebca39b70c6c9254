"""What is public: the faces of the package, the names of each, and their entries.

A *face* is a module whose names people write, such as ``relayish`` or ``relayish.transform``.
A thing that several faces have is one entry, under the first of its names; the others lead there.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from relayish.ir.relay.language import RELAY
from relayish.op.builders.builder import Namespace
from relayish.op.declaration.registry import get_op, is_registered, module_of

Face: TypeAlias = ModuleType | Namespace

ROOT_FACE: Final = "relayish"
BESIDE: Final = ("binary", "rewriting")
"""Packages that people import from, which are no attribute of the root and have no stub."""
OPERATORS: Final = "relayish.op"
TENSORS: Final = "relayish.op.tensor"
BUILDERS: Final = "relayish.op.builders.builder"
OTHER_NAMES: Final = "relayish.tvm"
"""The face that has no page of its own for what stands on others: it is searched last."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A public thing: where it is told of, and every name it goes by."""

    path: str
    thing: Any  # Any: a class, a function, a table, a constant
    face: str
    """The one whose page tells of it."""
    names: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition(".")[2]


def public_names(module: Face) -> list[str]:
    """Return what a module has for everybody, sorted: what it lists, or what it defines.

    Where ``dir`` is the module's own, it counts as a list. Modules that happen to be loaded, and
    what a module imported for itself, are no names of it.
    """
    listed = {*getattr(module, "__all__", ())}
    if isinstance(module, Namespace) or "__dir__" in vars(module):
        listed |= {*dir(module)}
    if not listed:
        listed = {
            name
            for name, thing in vars(module).items()
            if getattr(thing, "__module__", None) == module.__name__
        }
    return sorted(name for name in listed if not name.startswith("_"))


@cache
def faces() -> dict[str, Face]:
    """Return the public modules by the shortest path to each; the root first, TVM's names last."""
    found: dict[str, Face] = {}
    seen: set[int] = set()
    late: list[tuple[str, Face]] = []
    waiting: list[tuple[str, Face]]
    waiting = [(path, importlib.import_module(path)) for path in (ROOT_FACE, *_beside())]
    for path, module in waiting:  # grows while it is gone through: breadth first
        if id(module) in seen:
            continue
        seen.add(id(module))
        if path.startswith(OTHER_NAMES):
            late.append((path, module))
        else:
            found[path] = module
        waiting += _inner_faces(path, module)
    return {**found, **dict(late)}


def _beside() -> Iterator[str]:
    """Yield packages that are no attribute of the root: some, and all that have a stub."""
    yield from (f"{ROOT_FACE}.{name}" for name in BESIDE)
    root = Path(importlib.import_module(ROOT_FACE).__path__[0])
    for stub in sorted(root.rglob("*/__init__.pyi")):
        path = ".".join((ROOT_FACE, *stub.parent.relative_to(root).parts))
        if not path.startswith(OTHER_NAMES):  # which has a stub for each module of TVM's
            yield path


def _inner_faces(path: str, module: Face) -> Iterator[tuple[str, Face]]:
    inside = OTHER_NAMES if path == OTHER_NAMES else ROOT_FACE
    for name in public_names(module):
        inner = getattr(module, name)
        if isinstance(inner, Namespace):
            if name != RELAY.name and not path.startswith(OPERATORS):  # which have all others again
                yield f"{path}.{name}", inner
        elif isinstance(inner, ModuleType) and inner.__name__.startswith(f"{inside}."):
            yield f"{path}.{name}", inner


@cache
def entries() -> dict[str, Entry]:
    """Return the entry of every public name, by its whole path: ``relayish.nn.conv2d``."""
    found: dict[str, Entry] = {}
    by_thing: dict[object, Entry] = {}
    for face, module in faces().items():
        for name in _own_names_first(module):
            thing = getattr(module, name)
            if isinstance(thing, Face):
                continue
            path = f"{face}.{name}"
            entry = by_thing.setdefault(_key(thing, name), Entry(path, thing, face))
            if _tells_rather(face, entry.face):
                entry = _moved(entry, face, by_thing, found)
            entry.names.append(path)
            found[path] = entry
    return found


def _own_names_first(module: Face) -> list[str]:
    """Return public names, those first by which things call themselves: ``parse`` is no alias."""

    def is_alias(name: str) -> bool:
        return getattr(getattr(module, name), "__name__", name) != name

    return sorted(public_names(module), key=is_alias)


def _tells_rather(face: str, before: str) -> bool:
    """Return whether a thing is told of by ``face``, though a face ``before`` has it, too."""
    if before == OPERATORS:
        return face == TENSORS
    return before == ROOT_FACE != face and not face.startswith(OTHER_NAMES)


def _key(thing: Any, name: str) -> object:  # Any: as above
    """Return what tells a thing from others: numbers and the like are told by their names."""
    return (
        id(thing) if hasattr(thing, "__module__") or not _is_plain(thing) else (name, repr(thing))
    )


def _is_plain(thing: object) -> bool:
    return isinstance(thing, bool | int | float | str | bytes | tuple | frozenset | None)


def _moved(
    entry: Entry, face: str, by_thing: dict[object, Entry], found: dict[str, Entry]
) -> Entry:
    """Let the page of ``face`` tell of what the root has as well, under its path there."""
    moved = Entry(entry.path, entry.thing, face, entry.names)
    by_thing[_key(entry.thing, entry.name)] = moved
    found.update(dict.fromkeys(entry.names, moved))
    return moved


@cache
def bare_names() -> dict[str, Entry]:
    """Return what names without a path stand for, where all that go by one are the same thing.

    Of several, that of the root is meant.
    """
    found: dict[str, list[Entry]] = {}
    for path, entry in entries().items():
        found.setdefault(path.rpartition(".")[2], []).append(entry)
    meant = {name: {id(entry): entry for entry in every} for name, every in found.items()}
    single = {name: next(iter(every.values())) for name, every in meant.items() if len(every) == 1}
    of_root = [name for name in meant if f"{ROOT_FACE}.{name}" in entries()]
    return {**single, **{name: entries()[f"{ROOT_FACE}.{name}"] for name in of_root}}


@cache
def source_of(entry: Entry) -> tuple[Path, int] | None:
    """Return the file and the line where a thing is declared, if it is found."""
    thing = entry.thing
    if inspect.isfunction(thing) and thing.__module__ == BUILDERS:
        name = _operator(entry)
        module = module_of(get_op(name)) if is_registered(name) else faces()[entry.face].__name__
        return _declaration(str(module), f'"{name}"')
    if not (inspect.isclass(thing) or (callable(thing) and hasattr(thing, "__qualname__"))):
        assigned = assignment_of(entry)
        return None if assigned is None else (assigned[0], assigned[1].lineno)
    try:
        path = inspect.getsourcefile(inspect.unwrap(thing))
        if path is not None:
            return Path(path), inspect.getsourcelines(inspect.unwrap(thing))[1]
    except (TypeError, OSError):
        pass  # it is made while the program runs; its module says so
    return _declaration(thing.__module__, "@register_pass")


def _operator(entry: Entry) -> str:
    """Return the name of the operator whose builder an entry is."""
    path = entry.path.removeprefix(f"{ROOT_FACE}.").removeprefix("op.")
    return path if is_registered(path) else entry.thing.__name__


def _declaration(module: str, words: str) -> tuple[Path, int] | None:
    """Return where ``words`` stand in a module, or its beginning."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return None
    before, _, found = Path(file).read_text(encoding="utf-8").partition(words)
    return Path(file), before.count("\n") + 1 if found else 1


def attribute_docstring(entry: Entry) -> str:
    """Return the docstring below the assignment of a name that is no function and no class."""
    assigned = assignment_of(entry)
    if assigned is None:
        return ""
    path, statement = assigned
    body = _parsed(path).body
    following = body[body.index(statement) + 1 : body.index(statement) + 2]
    match following:
        case [ast.Expr(ast.Constant(str(text)))]:
            return inspect.cleandoc(text)
    return ""


def assignment_of(entry: Entry) -> tuple[Path, ast.stmt] | None:
    """Return the file and the statement that assigns a name at the top of a module."""
    for module in [*sys.modules.values()]:
        name = getattr(module, "__name__", "")
        if not isinstance(name, str) or name.partition(".")[0] != ROOT_FACE:
            continue
        if vars(module).get(entry.name) is not entry.thing or not module.__file__:
            continue
        for statement in _parsed(Path(module.__file__)).body:
            if entry.name in _assigned(statement):
                return Path(module.__file__), statement
    return None


def _assigned(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.Assign(targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(ast.Name(name)):
            return [name]
        case _:
            return []


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
