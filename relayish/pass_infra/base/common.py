"""Options that every pass has, whatever it does: run it or not, trace, verify, dump, bisect."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from relayish.errors import OptionError, suggest
from relayish.registry.option import OptionValueError, check_value

MASK_BITS: Final = 64
"""How many flags a mask of trace details has."""

LARGEST: Final = 2**63 - 1
"""The largest number of what is skipped."""

OFF: Final = -1
"""The number that skips nothing."""


def option_field(
    abbreviation: str,
    description: str,
    *,
    default: Any = False,  # Any: and what is returned: as ``field``
) -> Any:
    """Return a field of a dataclass of options, with a short name and one line for people."""
    return field(
        default=default, metadata={"abbreviation": abbreviation, "description": description}
    )


def check_types(config: object, hints: Mapping[str, Any], owner: str) -> None:
    """Refuse options of another type than they have. Any: annotations, by name of the option.

    Raises:
        OptionError: Naming the option, and who has it.
    """
    for name, hint in hints.items():
        try:
            check_value(hint, getattr(config, name))
        except OptionValueError as error:
            raise OptionError(f"option {name!r}, which {owner}: {error}") from None


@dataclass(frozen=True, kw_only=True)
class CommonConfig:
    """What may be asked of every pass, on the command line or in the braces of a pipeline.

    A pass whose options are not the defaults is watched wherever it runs. Numbers count from 1:
    functions that a function pass takes, in the order in which it takes them, and whatever a pass
    asks :meth:`is_skipped` of.

    Raises:
        OptionError: If a value is of another type, the mask has more than 64 bits, or a number is
            below -1 or above 63 bits.

    Source:
        AIR ``COMMON_CONFIG``.

    Example:
        >>> bounds = CommonConfig(skip_before=2, skip_after=5, skip_equal=3)
        >>> [number for number in range(8) if not bounds.is_skipped(number)]
        [2, 4, 5]
    """

    enable: bool = option_field("e", "run the pass", default=True)
    show: bool = option_field("s", "tell when the pass runs")
    help: bool = option_field("h", "list the options of the pass")
    verify: bool = option_field("vir", "check the program before and after")
    trace_ir_before: bool = option_field("tib", "trace the program before")
    trace_ir_after: bool = option_field("tia", "trace the program after")
    trace_st_before: bool = option_field("tsb", "trace its symbols before")
    trace_st_after: bool = option_field("tsa", "trace its symbols after")
    trace_stat: bool = option_field("ts", "trace time, and sizes of the program")
    trace_mp: bool = option_field("tm", "trace the memory that the pass took")
    trace_detail: int = option_field(
        "td", "mask of 64 bits: which details the pass traces", default=0
    )
    skip_before: int = option_field(
        "", "leave what has a smaller number as it is; -1: off", default=OFF
    )
    skip_after: int = option_field(
        "", "leave what has a greater number as it is; -1: off", default=OFF
    )
    skip_equal: int = option_field("", "leave what has this number as it is; -1: off", default=OFF)
    read_ir: str = option_field(
        "b2ir", "file to read the program from, before the pass", default=""
    )
    write_ir: str = option_field("ir2b", "file to write the program to, after the pass", default="")
    dump: bool = option_field("", "write the program to a file of its own after")
    rt_dump: bool = option_field("rtd", "let generated code dump its variables")
    rt_timing: bool = option_field("rtt", "let generated code take times")
    rt_validate: bool = option_field("rtv", "let generated code check its results")

    def __post_init__(self) -> None:
        check_types(self, _HINTS, "every pass has")
        mask = self.trace_detail
        if not 0 <= mask < 1 << MASK_BITS:
            raise OptionError(f"trace_detail is a mask of {MASK_BITS} bits; found {mask}")
        for name in ("skip_before", "skip_after", "skip_equal"):
            number = getattr(self, name)
            if not OFF <= number <= LARGEST:
                raise OptionError(
                    f"{name} is a number from {OFF} (off) to {LARGEST}; found {number}"
                )

    def silenced(self) -> CommonConfig:
        """Return these options without those that tell, check, read or write something."""
        return CommonConfig(**{name: getattr(self, name) for name in _EFFECTIVE})

    def run_tools(self) -> dict[str, bool]:
        """Return what is asked of generated code, as what generates it takes it.

        Example:
            >>> CommonConfig(rt_dump=True).run_tools()
            {'rt_dump': True, 'rt_timing': False, 'rt_validate': False}
        """
        return {"rt_dump": self.rt_dump, "rt_timing": self.rt_timing,
                "rt_validate": self.rt_validate}  # fmt: skip

    def is_trace(self, flag: int) -> bool:
        """Return whether any detail of ``flag``, a mask, is traced."""
        return self.trace_detail & flag != 0

    def is_skipped(self, number: int) -> bool:
        """Return whether what has this number is to be left as it is."""
        return (
            (self.skip_before != OFF and number < self.skip_before)
            or (self.skip_after != OFF and number > self.skip_after)
            or (self.skip_equal != OFF and number == self.skip_equal)
        )


_HINTS: Final = typing.get_type_hints(CommonConfig)

_EFFECTIVE: Final = (
    "enable", "skip_before", "skip_after", "skip_equal", "rt_dump", "rt_timing", "rt_validate"
)  # fmt: skip
"""The options on which it depends what a pass makes of a program that it is given."""

NOTHING_ASKED: Final = CommonConfig()
"""The common options of a pass of which nothing is asked."""

COMMON_NAMES: Final = tuple([option.name for option in fields(CommonConfig)])


def set_common(common: CommonConfig, asked: Mapping[str, object]) -> CommonConfig:
    """Return common options with some of them set, by their names.

    Raises:
        OptionError: If there is no option of a name, lists them; or as :class:`CommonConfig` does.
    """
    for name in asked:
        if name not in COMMON_NAMES:
            raise OptionError(
                f"no option {name!r} is one that every pass has{suggest(name, COMMON_NAMES)}; "
                f"there are {', '.join(COMMON_NAMES)}"
            )
    return replace(common, **asked)  # type: ignore[arg-type]
