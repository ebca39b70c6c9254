"""What a pass says about itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from relayish.errors import DeclarationError

GLOBAL_PREFIX: Final = "relayish.pass_."
"""What stands before the short name of a pass in its global name."""


def short_name(name: str) -> str:
    """Return the name of a pass without the global prefix.

    Example:
        >>> short_name("relayish.pass_.FoldConstant"), short_name("FoldConstant")
        ('FoldConstant', 'FoldConstant')
    """
    return name.removeprefix(GLOBAL_PREFIX)


@dataclass(frozen=True, slots=True)
class PassInfo:
    """Name, level and requirements of a pass.

    ``required`` names registered passes that must have run before this one, each as it is written
    in a pipeline string: ``"InferType"`` or ``"FoldConstant{fold_qnn=true}"``.

    Raises:
        DeclarationError: If the name is empty, the level not a whole number from 0, or
            ``required`` not a sequence of names.
    """

    name: str
    opt_level: int
    required: Sequence[str] = ()
    description: str = ""

    def __post_init__(self) -> None:
        name: object = self.name  # still to be checked
        if not isinstance(name, str) or not name:
            raise DeclarationError(f"a pass needs a name; found {name!r}")
        if type(self.opt_level) is not int or self.opt_level < 0:
            raise DeclarationError(
                f"the opt_level of pass {self.name} must be a whole number from 0; "
                f"found {self.opt_level!r}"
            )
        object.__setattr__(self, "required", self._checked_required())

    def _checked_required(self) -> tuple[str, ...]:
        if isinstance(self.required, str):
            raise DeclarationError(
                f"required of pass {self.name} must be a sequence of names; found the str "
                f"{self.required!r}; write ({self.required!r},)"
            )
        names: tuple[object, ...] = tuple(self.required)  # still to be checked
        for name in names:
            if not isinstance(name, str) or not name:
                raise DeclarationError(
                    f"required of pass {self.name} must hold names of passes; found {name!r}"
                )
        return tuple(self.required)
