"""Names that TVM has and relayish has not: what the error says to write instead.

``names`` holds them by module, ``members`` by class. Both are data; whoever fails to find a name
asks here before it raises.
"""

from __future__ import annotations

import contextlib
import inspect
import opcode
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final, NoReturn, TypeVar

from relayish._support.absent.members import MEMBERS
from relayish._support.absent.names import NAMES
from relayish._support.module_names import find_other
from relayish._support.retired import find_retired
from relayish.errors import MissingImportError, MissingNameError

_Class = TypeVar("_Class", bound=type)


def advice(module: str, name: str) -> str | None:
    """Return what to write in place of a name of TVM; ``None`` where there is nothing to say.

    Args:
        module: The name of the module in relayish: ``relayish.transform``.
        name: The name that is not there.
    """
    return NAMES.get(module.removeprefix("relayish."), {}).get(name)


def names_absent(module: str) -> tuple[str, ...]:
    """Return the names of TVM of which :func:`advice` knows in ``module``, sorted."""
    return tuple(sorted(NAMES.get(module.removeprefix("relayish."), ())))


def missing_name(
    module: str, name: str, otherwise: str, above: int = 0
) -> AttributeError | ImportError:
    """Return what the ``__getattr__`` of a module is to raise.

    Args:
        module: The name of the module.
        name: What it lacks.
        otherwise: What to say where TVM has no such name either.
        above: How many functions stand between this one and the ``__getattr__``.

    Returns:
        An ``AttributeError``. Behind ``from module import name`` Python drops these, text and all;
        there it is an ``ImportError`` if there is something to say.
    """
    told = advice(module, name)
    if told is None:
        return AttributeError(otherwise, name=name, obj=sys.modules.get(module))
    text = f"{module} has no {name}: {told}"
    if _is_from_import(2 + above):
        return MissingImportError(text, name=module)
    return MissingNameError(text, name=name)


def set_finder(module: str) -> None:
    """Let ``module`` find what no file has: modules that TVM has within it, and retired names.

    Type checkers see no ``__getattr__``, and so tell of names that are not there.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - that of a module; Any: whatever goes by it
        found = find_other(module, name) or find_retired(module, name)
        if found is not None:
            return found
        raise missing_name(module, name, f"module {module!r} has no attribute {name!r}")

    vars(sys.modules[module])["__getattr__"] = __getattr__


def names_of_package(module: str) -> Callable[[str], Any]:  # Any: whatever goes by the name
    """Return the ``__getattr__`` of ``module``, which in TVM has names of the package around it."""
    package = module.rpartition(".")[0]

    def __getattr__(name: str) -> Any:  # noqa: N807 - that of a module; Any: as above
        if not name.startswith("__"):  # Python asks modules for many
            with contextlib.suppress(AttributeError):
                return getattr(sys.modules[package], name)
        raise missing_name(module, name, f"module {module!r} has no attribute {name!r}")

    return __getattr__


def refuse_import(parent: str, module: ModuleType, name: str) -> None:
    """Raise what says why ``module``, imported as ``parent``, has no module ``name`` within.

    Raises:
        MissingImportError: If TVM has one there.
    """
    told = advice(module.__name__, name)
    if told is not None:
        raise MissingImportError(f"{parent} has no {name}: {told}", name=f"{parent}.{name}")


def _is_from_import(depth: int) -> bool:
    """Return whether the caller of the function ``depth`` frames up runs a ``from … import``."""
    frame = sys._getframe(depth + 1)  # noqa: SLF001 - there is no other way to tell
    code = frame.f_code.co_code
    return 0 <= frame.f_lasti < len(code) and code[frame.f_lasti] == _IMPORT_FROM


_IMPORT_FROM: Final = opcode.opmap.get("IMPORT_FROM", -1)


class AbsentMember:
    """Stands in a class for a member that TVM's has: whoever asks for it is told what to write.

    It takes the place of a ``__getattr__``, with which a class finds all its members more slowly.
    """

    __slots__ = ("name", "told")

    def __init__(self, name: str, told: str) -> None:
        self.name, self.told = name, told

    def __get__(self, thing: object, owner: type) -> NoReturn:
        raise MissingNameError(f"{owner.__name__} has no {self.name}: {self.told}", name=self.name)


def set_absent_members(cls: _Class) -> _Class:
    """Give ``cls`` what stands for the members that TVM's class of that name has beside its own.

    Returns:
        ``cls`` itself, so that this serves as a decorator.
    """
    for name, told in MEMBERS.get(cls.__name__, {}).items():
        if name not in cls.__dict__ and name not in inspect.get_annotations(cls):
            setattr(cls, name, AbsentMember(name, told))
    return cls
