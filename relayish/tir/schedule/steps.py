"""The base of the methods that schedules have: each takes a step by the name of its primitive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import show_found


class Steps(ABC):
    """Methods that take steps: a room of primitives has a class of them, of which schedules are."""

    @abstractmethod
    def apply(self, name: str, /, *args: Any, **kwargs: Any) -> Any:  # Any: as the primitive says
        """Take a step by the name of its primitive."""


class Sampled(NamedTuple):
    """What a primitive returns that draws: the step records it, so that it is drawn once.

    Attributes:
        decision: What was drawn, as the parameter ``decision`` takes it.
        values: The numbers that it makes.
        is_list: Whether the step returns a list of them, or the only one.
    """

    decision: Any
    values: Sequence[int]
    is_list: bool = True


def expect(given: object, what: str, condition: bool, advice: str = "") -> None:
    """Raise unless an argument of a step is as it has to be.

    Raises:
        ScheduleError: What was found, what was expected, what to do.
    """
    if not condition:
        raise ScheduleError(
            f"found {show_found(given)}; expected {what}{'; ' if advice else ''}{advice}"
        )
