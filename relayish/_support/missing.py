"""Missing names: what took the place of one, or what to write instead, which the error says.

Who lacks a name asks here before it raises. Names that went are in ``retired``; what else is known
of a name is told by those above, through ``hooks``.
"""

from __future__ import annotations

import inspect
import opcode
import sys
from typing import Any, Final, NoReturn, TypeVar

from relayish._support import hooks
from relayish._support.retired import find_retired
from relayish.errors import MissingImportError, MissingNameError

_Class = TypeVar("_Class", bound=type)


def find_missing(module: str, name: str, otherwise: str) -> Any:  # Any: whatever goes by the name
    """Return what stands for a name that ``module`` lacks; called by its ``__getattr__``.

    Args:
        module: The name of the module.
        name: What it lacks.
        otherwise: What to say where nothing is known of the name.

    Raises:
        AttributeError: If nothing stands for it. Behind ``from module import name`` Python drops
            these, text and all; there it is an ``ImportError`` if there is something to say.
    """
    found = find_retired(module, name)
    if found is None:
        found = hooks.other_name(module, name)
    if found is None:
        raise AttributeError(otherwise, name=name, obj=sys.modules.get(module))
    if not isinstance(found, str):
        return found
    text = f"{module} has no {name}: {found}"
    if _is_from_import(2):
        raise MissingImportError(text, name=module)
    raise MissingNameError(text, name=name)


def set_finder(module: str) -> None:
    """Let ``module`` find what stands for names that it lacks.

    Type checkers see no ``__getattr__``, and so tell of names that are not there.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - that of a module; Any: whatever goes by it
        return find_missing(module, name, f"module {module!r} has no attribute {name!r}")

    vars(sys.modules[module])["__getattr__"] = __getattr__


def refuse_import(fullname: str) -> None:
    """Raise what says what to write instead of importing the module called ``fullname``.

    Raises:
        MissingImportError: If something is known of it.
    """
    parent, _, name = fullname.rpartition(".")
    if parent.partition(".")[2].startswith("_"):
        return  # of a package that is nobody's to import, as the compiled core may not be there
    above = sys.modules.get(parent)
    told = None if above is None else hooks.other_name(above.__name__, name)
    if isinstance(told, str):
        raise MissingImportError(f"{parent} has no {name}: {told}", name=fullname)


def _is_from_import(depth: int) -> bool:
    """Return whether the caller of the function ``depth`` frames up runs a ``from … import``."""
    frame = sys._getframe(depth + 1)  # noqa: SLF001 - there is no other way to tell
    code = frame.f_code.co_code
    return 0 <= frame.f_lasti < len(code) and code[frame.f_lasti] == _IMPORT_FROM


_IMPORT_FROM: Final = opcode.opmap.get("IMPORT_FROM", -1)


class AbsentMember:
    """Stands in a class for a member it has not: whoever asks for it is told what to write.

    It takes the place of a ``__getattr__``, with which a class finds all its members more slowly.
    """

    __slots__ = ("name", "told")

    def __init__(self, name: str, told: str) -> None:
        self.name, self.told = name, told

    def __get__(self, thing: object, owner: type) -> NoReturn:
        raise MissingNameError(f"{owner.__name__} has no {self.name}: {self.told}", name=self.name)


def set_absent_members(cls: _Class) -> _Class:
    """Give ``cls`` what stands for the members of which something is known beside its own.

    Returns:
        ``cls`` itself, so that this serves as a decorator.
    """
    for name, told in hooks.absent_members(cls.__name__).items():
        if name not in cls.__dict__ and name not in inspect.get_annotations(cls):
            setattr(cls, name, AbsentMember(name, told))
    return cls
