"""Options on a command line: ``-O2 -trace -skip_after=7 -VEC:level=3:trace_ir_after``.

::

    word   := "-" option | "-" group ":" option (":" option)* | file
    option := name [ "=" value ]

One dash and two mean the same, and so do ``-`` and ``_`` in names. Options of a group are those of
a pass, say, under its name; a value is read as in a pipeline, quotes included, but that one that
begins with none is taken as it stands.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NoReturn

from relayish.errors import DuplicateNameError, OptionError, PipelineError, suggest
from relayish.registry.option import OptionValueError, PassOption, find_option, read_value
from relayish.registry.syntax import Written, WrittenValue, parse_value


class ValueForm(Enum):
    """How the value of an option stands on the command line."""

    NONE = "-trace"
    SPACE = "-o file"
    EQUAL = "-skip_after=7"
    NONE_SPACE = "-O2 or -O 2"


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Options that are given together, behind a name: ``-NN2A:ae:a=on``.

    Options are set apart by colons, and values stand behind equals signs.

    Raises:
        DuplicateNameError: If two options have one name or abbreviation.
    """

    name: str
    options: tuple[PassOption, ...]
    description: str = ""

    def __post_init__(self) -> None:
        _claim_names({}, self.options, f"group {self.name}")

    def find(self, name: str) -> PassOption | None:
        """Return the option that goes by ``name``, short or long."""
        return find_option(self.options, _normal(name))


@dataclass(slots=True)
class GivenOptions:
    """What a command line says.

    Attributes:
        values: Of options of the top level, by name.
        groups: Of options of groups, by name of the group and of the option.
        files: What is no option, in order.
    """

    values: dict[str, object] = field(default_factory=dict)
    groups: dict[str, dict[str, object]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)


class CommandLine:
    """Which options there are, and reading of them.

    Args:
        find_group: Returns the group of a name that nobody registered, if there is one: options of
            passes, say.
        group_names: Which these are, for errors.

    Source:
        AIR ``OPTION_MGR``. It takes a value that cannot be read for the end of the program; here it
        is an error that says what was expected, as is an option given twice to one group.

    Example:
        >>> line = CommandLine()
        >>> line.register([PassOption("show", bool, False, "s"), PassOption("limit", int, 7)])
        >>> line.register_group(OptionGroup("VEC", (PassOption("level", int, 1),)))
        >>> line.parse(["-s", "--limit=9", "a.relay", "-VEC:level=3"])
        GivenOptions(values={'show': True, 'limit': 9}, groups={'VEC': {'level': 3}}, \
files=['a.relay'])
    """

    def __init__(
        self,
        find_group: Callable[[str], OptionGroup | None] = lambda _: None,
        group_names: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._options: dict[str, PassOption] = {}
        self._forms: dict[str, ValueForm] = {}
        self._names: dict[str, str] = {}
        self._groups: dict[str, OptionGroup] = {}
        self._find_group = find_group
        self._group_names = group_names

    @property
    def options(self) -> tuple[PassOption, ...]:
        """The options of the top level, in the order in which they were registered."""
        return tuple(self._options.values())

    @property
    def groups(self) -> tuple[OptionGroup, ...]:
        """The groups that were registered."""
        return tuple(self._groups.values())

    def register(
        self, options: Sequence[PassOption], forms: Mapping[str, ValueForm] | None = None
    ) -> None:
        """Add options of the top level: all of them, or none if one cannot be.

        Args:
            options: In the order in which they are listed.
            forms: How values stand, by name; flags of ``bool`` alone, others behind ``=``, if not
                said.

        Raises:
            DuplicateNameError: If a name or abbreviation is taken; says by what.
        """
        names = dict(self._names)
        _claim_names(names, options, "the command line")
        self._names = names
        for option in options:
            self._options[option.name] = option
            self._forms[option.name] = (forms or {}).get(option.name, _usual_form(option))

    def register_group(self, group: OptionGroup) -> None:
        """Add a group.

        Raises:
            DuplicateNameError: If there is a group, or a pass, of that name.
        """
        if group.name in self._groups or self._find_group(group.name) is not None:
            raise DuplicateNameError(
                f"there is a group of options {group.name!r} already; rename one"
            )
        self._groups[group.name] = group

    def parse(self, words: Sequence[str]) -> GivenOptions:
        """Return what the words of a command line say; of an option given again the last counts.

        Raises:
            OptionError: If there is no word at all, an option is unknown, or a value missing or
                none that the option takes; tells which options there are.
        """
        if not words:
            raise OptionError("no input files; name one, or give an option")
        given = GivenOptions()
        left = list(reversed(words))
        while left:
            word = left.pop()
            if not word.startswith("-") or word == "-":
                given.files.append(word)
            elif (found := _GROUP.match(word)) is not None:
                self._read_group(found["group"], word[found.end() :], word, given)
            else:
                self._read_option(word, left, given)
        return given

    def _read_option(self, word: str, left: list[str], given: GivenOptions) -> None:
        text = word.lstrip("-")
        name, equals, value = text.partition("=")
        full = self._names.get(_normal(name))
        if full is None:
            full, value = self._find_attached(text, word)
            equals = "="
        option, form = self._options[full], self._forms[full]
        if not equals and form in (ValueForm.SPACE, ValueForm.NONE_SPACE):
            if not left:
                _refuse(word, f"expected a value after it, {option}")
            value, equals = left.pop(), "="
        given.values[full] = _value_of(option, value if equals else None, word)

    def _find_attached(self, text: str, word: str) -> tuple[str, str]:
        """Return the option that ``text`` begins with, the longest, and the rest, its value."""
        attached = [n for n, f in self._names.items() if self._forms[f] is ValueForm.NONE_SPACE]
        fitting = [name for name in attached if text.startswith(name)]
        if not fitting:
            near = suggest(_normal(text.partition("=")[0]), self._names)
            _refuse(word, f"there is none of that name{near}; there are {_list(self.options)}")
        longest = max(fitting, key=len)
        return self._names[longest], text[len(longest) :]

    def _read_group(self, name: str, text: str, word: str, given: GivenOptions) -> None:
        group = self._groups.get(name) or self._find_group(name)
        if group is None:
            names = sorted({*self._groups, *self._group_names()})
            _refuse(
                word,
                f"there is no pass or group {name!r}{suggest(name, names)}; "
                f"there are {', '.join(names)}",
            )
        values: dict[str, object] = {}
        for part in _split(text):
            short, equals, value = part.partition("=")
            option = group.find(short)
            if option is None:
                near = suggest(_normal(short), [o.name for o in group.options])
                _refuse(
                    word, f"{name} has no option {short!r}{near}; it has {_list(group.options)}"
                )
            if option.name in values:
                _refuse(word, f"option {option.name!r} is given twice")
            values[option.name] = _value_of(option, value if equals else None, word)
        given.groups.setdefault(group.name, {}).update(values)

    def describe(self) -> str:
        """Return the options of the top level, and those of groups that were registered."""
        lines = ["options:"]
        lines += [_describe(o, self._forms[o.name], "-") for o in self.options]
        for group in self.groups:
            lines.append(
                f"options of -{group.name}:OPTION[=VALUE][:OPTION...], {group.description}"
            )
            lines += [_describe(option, _usual_form(option), "") for option in group.options]
        return "\n".join(line.rstrip(" ,") for line in lines) + "\n"


_GROUP: Final = re.compile(r"--?(?P<group>[A-Za-z_][\w.]*):")


def _usual_form(option: PassOption) -> ValueForm:
    return ValueForm.NONE if option.hint is bool else ValueForm.EQUAL


def _describe(option: PassOption, form: ValueForm, dash: str) -> str:
    """Return a line: how an option is written, what it does."""
    value = {ValueForm.NONE: "", ValueForm.SPACE: " VALUE", ValueForm.NONE_SPACE: " VALUE"}
    names = [f"{dash}{name}" for name in (option.name, option.abbreviation) if name]
    written = ", ".join(names) + value.get(form, "=VALUE")
    return f"  {written:<30}  {option.description}"


def _normal(name: str) -> str:
    return name.replace("-", "_")


def _claim_names(names: dict[str, str], options: Sequence[PassOption], where: str) -> None:
    """Enter the names and abbreviations of options, by each the name of the option.

    Raises:
        DuplicateNameError: If one is taken.
    """
    for option in options:
        for name in (option.name, option.abbreviation):
            holder = names.get(name)
            if name and holder is not None and (holder != option.name or name == option.name):
                raise DuplicateNameError(
                    f"{name!r}, which option {option.name!r} of {where} is to go by, is taken by "
                    f"option {holder!r}; rename one"
                )
            if name:
                names[name] = option.name


def _split(text: str) -> list[str]:
    """Return the options of a group: what stands between colons outside of quotes."""
    return [found[0] for found in _PART.finditer(text)]


_PART: Final = re.compile(r"""(?:(?<=:)|^)(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^:])*""")


def _value_of(option: PassOption, text: str | None, word: str) -> object:
    """Return the value that is written; that of a flag without one is true."""
    if text is None:
        if option.hint is bool:
            return True
        _refuse(word, f"expected a value, as in {option.name}=...; {option}")
    try:
        return read_value(option.hint, _read_written(option, text))
    except (OptionValueError, PipelineError) as error:
        _refuse(word, f"option {option.name!r}: {error}")


def _read_written(option: PassOption, text: str) -> WrittenValue:
    """Return what is written as a value; several, for an option that takes them, between commas."""
    if text[:1] in ("'", '"', "(", "["):
        return parse_value(text)
    if typing.get_origin(option.hint) is tuple:
        return parse_value(f"({text})")
    return Written(text, quoted=False, position=0)


def _list(options: Iterable[PassOption]) -> str:
    return ", ".join(
        f"{option.name} ({option.abbreviation})" if option.abbreviation else option.name
        for option in options
    )


def _refuse(word: str, why: str) -> NoReturn:
    raise OptionError(f"incorrect option {word!r}: {why}")
