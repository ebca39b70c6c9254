"""The stubs that a package needs which declares operators, passes or kinds of nodes of its own.

They stand in a folder, for type checkers to look into before they look at relayish: the stubs of
relayish in which something of the package is said as well, and the packages that they are in.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Final

from relayish import core, tir
from relayish._support.own import LIBRARY
from relayish.errors import PackageError
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import Type
from relayish.pass_infra.composition.registry import REGISTRY
from relayish.stubs.handlers import LOOPS, RELAY, handler_stub
from relayish.stubs.kinds import declares_kinds, stub_of_kinds
from relayish.stubs.operators import DOMAINS, MARK, face_stub, find_prefixes, operator_stubs
from relayish.stubs.passes import own_passes, transform_stub

FAMILIES: Final = tuple(each.__module__ for each in (Expr, Type, tir.IrNode, core.CoreNode))
"""The modules of families of which packages declare kinds."""

HOME: Final = Path(__file__).parent.parent

_FACE: Final = vars(sys.modules[LIBRARY])["__all__"]
"""The names of the face, which is loaded before all below it."""


def stubs_of(packages: Sequence[str]) -> dict[str, str]:
    """Return the stubs of relayish in which something of packages is said, by path.

    The packages are imported, with all modules in them, but for those called ``__main__``.

    Args:
        packages: Names of packages, or of modules.

    Returns:
        The text of each stub that says more than the installed one, and of the packages above it:
        ``relayish/__init__.pyi`` for operators, ``relayish/transform/__init__.pyi`` for passes,
        and ``handlers.pyi`` of functors for kinds.

    Raises:
        PackageError: If a package cannot be imported.
    """
    for _ in modules_of(packages):
        pass
    written = _written_with(packages)
    found = {path: text for path, text in written.items() if text != _installed(path)}
    above = {str(parent) for path in found for parent in PurePosixPath(path).parents}
    for parent in sorted(above - {"."}):
        found.setdefault(f"{parent}/__init__.pyi", _installed(f"{parent}/__init__.pyi"))
    found.setdefault("__init__.pyi", _installed("__init__.pyi"))
    return {f"relayish/{path}": text for path, text in sorted(found.items())}


def kind_stubs_of(packages: Sequence[str]) -> Mapping[Path, str]:
    """Return the stubs of modules of packages that declare kinds, by where they have to stand.

    That is beside the module: constructors take what fields convert, and ``with_fields`` goes by
    field.

    Raises:
        PackageError: If a package cannot be imported.
    """
    found = [module for module in modules_of(packages) if declares_kinds(module)]
    return {
        Path(module.__file__).with_suffix(".pyi"): stub_of_kinds(module)
        for module in found
        if module.__file__ is not None
    }


def modules_of(packages: Sequence[str]) -> Iterator[ModuleType]:
    """Import packages, and yield them and the modules inside.

    Raises:
        PackageError: If one cannot be imported.
    """
    for package in packages:
        face = _load(package)
        yield face
        for inside in pkgutil.walk_packages(getattr(face, "__path__", ()), f"{package}."):
            if not inside.name.endswith(".__main__"):
                yield _load(inside.name)


def _load(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        is_missing = isinstance(error, ModuleNotFoundError) and error.name in _with_parents(name)
        raise PackageError(
            f"{name} cannot be imported: {type(error).__name__}: {error}; "
            f"{_EXPECTED if is_missing else 'mend it'}"
        ) from error


_EXPECTED: Final = """\
expected the name of a package, or of a module, that is installed or stands in this folder"""


def _with_parents(name: str) -> list[str]:
    return list(accumulate(name.split("."), "{}.{}".format))


def _written_with(packages: Sequence[str]) -> dict[str, str]:
    entries = REGISTRY.entries()
    homes = ("relayish.", *(f"{package}." for package in packages))
    passes = [entry for entry in entries if f"{entry.claimant}.".startswith(homes)]
    names = {*_FACE, *DOMAINS}
    operators = operator_stubs(names, find_prefixes())
    return {
        "__init__.pyi": face_stub(_by_whole_names(_installed("__init__.pyi")), operators),
        "transform/__init__.pyi": transform_stub(passes or own_passes()),
        **{each.path: handler_stub(each, packages) for each in (RELAY, LOOPS)},
        **{_path(name): stub_of_kinds(sys.modules[name], packages) for name in FAMILIES},
    }


def _path(module: str) -> str:
    return f"{module.removeprefix('relayish.').replace('.', '/')}.pyi"


def _by_whole_names(face: str) -> str:
    """Return the stub of the face so that it finds modules which do not stand beside it."""
    public = ", ".join(f'"{name}"' for name in _FACE)
    head, mark, rest = re.sub(
        _MODULE, r"import relayish.\1 as \1", face, flags=re.MULTILINE
    ).partition(MARK)
    return f"{head}__all__ = ({public},)\n{mark}{rest}"


_MODULE: Final = r"^from relayish import (\w+) as \1$"


def _installed(path: str) -> str:
    """Return a stub of relayish; of a package without one, its source."""
    file = HOME / path
    return (file if file.exists() else file.with_suffix(".py")).read_text(encoding="utf-8")
