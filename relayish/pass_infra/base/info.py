"""Pass metadata: what a pass says about itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

from relayish._support.display import repr_mimebundle
from relayish._support.own import GLOBAL_PREFIX
from relayish._support.retired import name_now
from relayish.errors import DeclarationError
from relayish.pass_infra.base.common import NOTHING_ASKED, CommonConfig


def short_name(name: str) -> str:
    """Return the name of a pass without the global prefix.

    Example:
        >>> short_name("relayish.pass_.FoldConstant"), short_name("FoldConstant")
        ('FoldConstant', 'FoldConstant')
    """
    return name.removeprefix(GLOBAL_PREFIX)


def current_name(name: str) -> str:
    """Return the short name of a pass, and in place of a retired one what took its place.

    Warns:
        DeprecationWarning: If it is retired.
    """
    name = short_name(name)
    now = name_now(f"transform.{name}")
    return name if now is None else now.rpartition(".")[2]


_NAMED: Final = {
    "required": "passes",
    "requires": "checks",
    "ensures": "checks",
    "preserves": "analyses",
}
"""What the names are of, in each field that holds several."""

_MADE: Final[set[str]] = set()


def is_made(name: str) -> bool:
    """Return whether a pass of that name was made at some time, registered or not."""
    return name in _MADE


class Facts(TypedDict, total=False):
    """What a :class:`PassInfo` says of a pass beside what runs before it, where it says more."""

    infer_types: bool
    idempotent: bool
    requires: Sequence[str]
    ensures: Sequence[str]
    preserves: Sequence[str]


@dataclass(frozen=True, slots=True)
class PassInfo:
    """Name, level and requirements of a pass.

    Args:
        name: Short name.
        opt_level: A ``Sequential`` runs the pass from this level of the context on.
        required: Registered passes that must have run before this one, each as it is written in a
            pipeline string: ``"InferType"`` or ``"FoldConstant{fold_qnn=true}"``.
        description: One line.
        infer_types: The pass is given a typed module, and what it returns is typed again, which
            looks only at what changed. A module in which the pass changes nothing comes back as
            the object that went in, typed or not.
        idempotent: Applied to its own result, the pass returns that very object.
        requires: Names of checks that hold of what the pass is given.
        ensures: Names of checks that hold of what it returns.
        preserves: Names of analyses of which what it returns has the same results as what it is
            given, program point by program point: these are carried over, and not found again.
        common: What is asked of this pass that may be asked of every pass.
        phase: What the program is called that it made, in the run of a driver, and in files: the
            name, or ``FoldConstant#2`` for the second of that name; the name if not given.

    Raises:
        DeclarationError: If the name is empty, the level not a whole number from 0, one of the
            sequences of names is none, or ``common`` no ``CommonConfig``.
    """

    name: str
    opt_level: int
    required: Sequence[str] = ()
    description: str = ""
    infer_types: bool = False
    idempotent: bool = False
    requires: Sequence[str] = ()
    ensures: Sequence[str] = ()
    preserves: Sequence[str] = ()
    common: CommonConfig = dataclasses.field(default=NOTHING_ASKED, repr=False)
    phase: str = dataclasses.field(default="", repr=False)

    _repr_mimebundle_ = repr_mimebundle

    def __post_init__(self) -> None:
        name: object = self.name  # still to be checked
        if not isinstance(name, str) or not name:
            raise DeclarationError(f"a pass needs a name; found {name!r}")
        if type(self.opt_level) is not int or self.opt_level < 0:
            raise DeclarationError(
                f"the opt_level of pass {self.name} must be a whole number from 0; "
                f"found {self.opt_level!r}"
            )
        common: object = self.common  # still to be checked
        if not isinstance(common, CommonConfig):
            raise DeclarationError(
                f"common of pass {self.name} must be a CommonConfig; found {common!r}"
            )
        _MADE.add(short_name(name))
        for field in _NAMED:
            object.__setattr__(self, field, self._check_names(field))

    def _check_names(self, field: str) -> tuple[str, ...]:
        given = getattr(self, field)
        if isinstance(given, str):
            raise DeclarationError(
                f"{field} of pass {self.name} must be a sequence of names; found the str "
                f"{given!r}; write ({given!r},)"
            )
        names: tuple[object, ...] = tuple(given)  # still to be checked
        for name in names:
            if not isinstance(name, str) or not name:
                raise DeclarationError(
                    f"{field} of pass {self.name} must hold names of {_NAMED[field]}; "
                    f"found {name!r}"
                )
        return tuple(given)
