"""Files and packages of users, loaded for what they register: ``--load FILE.py | PACKAGE``.

A file becomes a module that is called by its stem, ``relayish.cli.loaded.my_pass``. What was
loaded stands in the environment, which processes inherit, so that one which is started by any
means finds the modules that what it unpickles is of.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

from relayish._support.own import LOADED
from relayish.errors import PackageError, RelayishError

VARIABLE: Final = "RELAYISH_LOADED"
"""The environment variable that holds what was loaded: names of packages, paths of files."""

_SUFFIX: Final = ".py"


def load(name: str) -> ModuleType:
    """Import a file of Python, or a package, for what it registers; again, it is left alone.

    A file may import what lies beside it, where nothing else is called so.

    Args:
        name: A path that ends in ``.py``, or the name of a package or module, which may lie in the
            working directory.

    Raises:
        PackageError: If there is none, or it raises; tells the line of it that does.
        RelayishError: What it raises of these is raised as it is, with a note of that line.
    """
    before = loaded()
    is_file = name.endswith(_SUFFIX) or os.path.basename(name) != name  # noqa: PTH119 - of the text
    if not is_file and not all(map(str.isidentifier, name.split("."))):
        raise PackageError(_describe_missing(name))
    given = str(_file_of(name)) if is_file else name
    _remember([*before, *([] if given in before else [given])])
    folder = str(Path(given).parent if is_file else Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)  # the end: a file called as a module of Python hides none
    module = _module_of(given)
    try:
        return _import(module, name)
    except (Exception, SystemExit) as error:
        _remember(before)
        place = _place_in(error, module)
        if isinstance(error, RelayishError):
            error.add_note(f"{place or 'found'} for --load {name}")
            raise
        if isinstance(error, ModuleNotFoundError) and not place:
            raise PackageError(_describe_missing(name)) from None
        said = error.msg if isinstance(error, SyntaxError) else error
        raise PackageError(
            f"{place or name}: {type(error).__name__}: {said}; mend it, or leave out --load {name}"
        ) from error


def loaded() -> tuple[str, ...]:
    """Return what was loaded, in order: paths of files, names of packages."""
    return tuple(json.loads(os.environ.get(VARIABLE) or "[]"))


def _import(module: str, name: str) -> ModuleType:
    found = importlib.import_module(module)
    if getattr(found, "__file__", None) is None and hasattr(found, "__path__"):
        raise PackageError(
            f"--load {name}: that is a directory without __init__.py, in which nothing is "
            f"registered; name a file in it"
        )
    return found


def _remember(names: Sequence[str]) -> None:
    os.environ[VARIABLE] = json.dumps(list(names))


def _file_of(name: str) -> Path:
    """Return the file that is named, wherever the working directory will be."""
    path = Path(os.path.realpath(name))
    if path.is_dir():
        raise PackageError(
            f"--load {name}: that is a directory; name a file in it, or a package as Python does"
        )
    if path.suffix != _SUFFIX:
        raise PackageError(f"--load {name}: expected a file of Python, in {_SUFFIX}, or a package")
    if not path.is_file():
        raise PackageError(f"--load {name}: there is no such file")
    return path


def _module_of(given: str) -> str:
    """Return the name of the module that something loaded is."""
    return next((name for name, path in _files().items() if path == given), given)


def _files() -> dict[str, str]:
    """Return the files that were loaded, by the names of their modules; stems may be equal."""
    found: dict[str, str] = {}
    for path in filter(os.path.isabs, loaded()):
        own = LOADED + Path(path).stem.replace(".", "_")
        again = sum(name.partition("~")[0] == own for name in found)
        found[f"{own}~{again + 1}" if again else own] = path
    return found


def _place_in(error: BaseException, module: str) -> str:
    """Return file and line in ``module`` at which an error was raised; ``""`` if in none."""
    place = ""
    if isinstance(error, SyntaxError) and not isinstance(error, RelayishError):
        place = f"{error.filename}:{error.lineno}"
    trace = error.__traceback__
    while trace is not None:
        where = str(trace.tb_frame.f_globals.get("__name__"))
        if where == module or where.startswith(f"{module}."):
            place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _describe_missing(name: str) -> str:
    """Return that there is no module of a name, and what may be meant."""
    near = Path(name + _SUFFIX)
    meant = f"; did you mean {near}?" if near.is_file() else ""
    return f"--load {name}: there is no package or module of that name{meant or _HOW}"


_HOW: Final = "; a file is named with its ending, as my_pass.py"


class Finder(MetaPathFinder):
    """Finds the modules that files are."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        found = _files().get(fullname) if fullname.startswith(LOADED) else None
        return None if found is None else spec_from_file_location(fullname, found)
