"""Options of a whole run: what a driver is told beside what it is told of single passes."""

from __future__ import annotations

import dataclasses
import sys
import typing
from dataclasses import dataclass
from typing import Final

from relayish.domain.driver.command_line import ValueForm
from relayish.errors import OptionError
from relayish.pass_infra.base.common import OFF, CommonConfig, check_types, option_field

HIGHEST_LEVEL: Final = 4


@dataclass(frozen=True, kw_only=True)
class GlobalConfig:
    """Options of a driver.

    What is asked of all passes here is asked of each; numbers count the passes of the run, from 1,
    those that others require included: the place of a pass in what ``Sequential.plan`` returns.

    Raises:
        OptionError: If a value is of another type, or a level or number out of range.

    Source:
        AIR ``GLOBAL_CONFIG``. What is checked in debug builds there is checked in Python's
        development mode (``python -X dev``) here.
    """

    help: bool = option_field("h", "list the options")
    show: bool = option_field("s", "tell which pass runs")
    trace: bool = option_field("t", "trace symbols and program before and after every pass")
    trace_mp: bool = option_field("tm", "trace the memory that each pass took")
    perf: bool = option_field("p", "trace time, and sizes of the program, of every pass")
    keep: bool = option_field("k", "write the program to a file after every pass")
    verify: bool = option_field(
        "vir", "check the program around every pass", default=sys.flags.dev_mode
    )
    print_pass: bool = option_field("", "list the passes that run, with their options")
    print_meta: bool = option_field("", "list domains and operators")
    opt_level: int | None = option_field(
        "O", "run passes of this level and below; that of the context if none", default=None
    )
    output: str = option_field("o", "where to write the result", default="")
    dump: tuple[str, ...] = option_field(
        "", "passes after which the program is written", default=()
    )
    skip_before: int = option_field("", "skip passes with a smaller number; -1: off", default=OFF)
    skip_after: int = option_field("", "skip passes with a greater number; -1: off", default=OFF)
    skip_equal: int = option_field("", "skip the pass with this number; -1: off", default=OFF)

    def __post_init__(self) -> None:
        check_types(self, _HINTS, "a driver has")
        if self.opt_level is not None and not 0 <= self.opt_level <= HIGHEST_LEVEL:
            raise OptionError(
                f"opt_level is a number from 0 to {HIGHEST_LEVEL}; found {self.opt_level}"
            )
        self.bounds()

    def bounds(self) -> CommonConfig:
        """Return the numbers of passes that are skipped, as common options hold them."""
        return CommonConfig(
            skip_before=self.skip_before, skip_after=self.skip_after, skip_equal=self.skip_equal
        )

    def asked_of(self, name: str) -> dict[str, object]:
        """Return what is asked of every pass here, as common options of the pass ``name``."""
        asked = {
            "show": self.show,
            "verify": self.verify,
            "trace_mp": self.trace_mp,
            "trace_stat": self.perf,
            "dump": name in self.dump,
            **dict.fromkeys(_TRACED, self.trace),
        }
        return {option: True for option, is_asked in asked.items() if is_asked}


_HINTS: Final = typing.get_type_hints(GlobalConfig)
_TRACED: Final = ("trace_st_before", "trace_ir_before", "trace_st_after", "trace_ir_after")

FORMS: Final = {
    "output": ValueForm.SPACE,
    "opt_level": ValueForm.NONE_SPACE,
}
"""How values stand on the command line, where that is not the usual way."""

GLOBAL_NAMES: Final = tuple([option.name for option in dataclasses.fields(GlobalConfig)])
