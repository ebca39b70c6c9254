"""Annotations of classes, evaluated, those of each base of the library once.

``typing.get_type_hints`` evaluates what all bases say anew for each class below them.
"""

from __future__ import annotations

import functools
import inspect
import typing
from typing import Any, Final

from relayish._support.own import is_own


def class_hints(cls: type) -> dict[str, Any]:  # Any: annotations
    """Return the annotations of a class that is being declared, and of its bases, evaluated.

    A class may speak of itself by its name.

    Raises:
        NameError: If one names what is not known where it stands.

    Example:
        >>> class Chain:
        ...     length: int
        ...     rest: "Chain | None"
        >>> list(class_hints(Chain).values())[0]
        <class 'int'>
    """
    found: dict[str, Any] = {}  # Any: as above
    for base in reversed(cls.__mro__[1:]):
        found |= _own_hints_once(base) if is_own(base.__module__) else _own_hints(base)
    return found | _own_hints(cls)


def _own_hints(cls: type) -> dict[str, Any]:  # Any: as above
    own = inspect.get_annotations(cls)
    if not own:
        return {}
    alone = type(cls.__name__, (), {"__annotations__": own, "__module__": cls.__module__})
    return typing.get_type_hints(alone, localns={cls.__name__: cls})


_own_hints_once: Final = functools.cache(_own_hints)
"""Of classes of the library; what others name may be declared anew."""
