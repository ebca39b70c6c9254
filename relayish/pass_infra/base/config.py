"""Options of the pass context: registered by whoever reads them, checked where they are set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypedDict

from pyrsistent import PMap, pmap

from relayish.errors import ConfigError, suggest
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import watch_table
from relayish.registry.option import OptionValueError, check_value, describe_hint, read_value
from relayish.registry.syntax import parse_value


class ConfigDescription(TypedDict):
    """What :func:`list_configs` says of one option."""

    type: str
    default: object
    description: str


@dataclass(frozen=True, slots=True)
class _Option:
    hint: Any  # Any: an annotation
    default: object
    description: str
    module: str


_OPTIONS: Final[dict[str, _Option]] = {}
watch_table(_OPTIONS, lambda context, option: context.stays(option.module))
_CLAIMS: Final[Claims[str]] = Claims()
_SOURCES: Final[list[tuple[Callable[[str], object], Callable[[], object]]]] = []


def register_config_option(
    name: str,
    type: Any,  # noqa: A002 - the word for it; Any: a class or an annotation such as int | None
    default: object,
    description: str,
) -> None:
    """Make ``name`` an option that a ``PassContext`` may set.

    Args:
        name: By habit the pass it belongs to and a word: ``relay.FuseOps.max_depth``.
        type: Class or annotation that values are checked against.
        default: What a pass reads where nothing was set.
        description: One line for people.

    Raises:
        DuplicateNameError: If somebody else registered the option.
        ConfigError: If the default is not of the type.
    """
    checked = _check(name, type, default)
    held = _OPTIONS.get(name)
    about = "" if held is None else f" ({held.description!r})"
    claim = _CLAIMS.enter(
        name,
        None,
        f"config option {name!r} is registered already{about}; it",
        taken=held is not None,
        instead="choose another name",
    )
    _OPTIONS[name] = _Option(type, checked, description, claim.module)


def list_configs() -> dict[str, ConfigDescription]:
    """Return every registered option, by name; imports every pass there is."""
    for _, load in _SOURCES:
        load()
    return {
        name: {
            "type": describe_hint(option.hint),
            "default": option.default,
            "description": option.description,
        }
        for name, option in sorted(_OPTIONS.items())
    }


def config_default(name: str) -> object:
    """Return the default of an option.

    Raises:
        ConfigError: If no such option is registered.
    """
    return _find(name).default


def check_config(config: Mapping[str, object]) -> PMap[str, object]:
    """Return ``config`` with every value checked.

    Raises:
        ConfigError: If an option is unknown or a value of the wrong type.
    """
    return pmap({name: _check(name, _find(name).hint, value) for name, value in config.items()})


def read_config(name: str, text: str) -> object:
    """Return the value of option ``name`` that is written as ``text`` (on a command line).

    Raises:
        ConfigError: If the option is unknown or the text cannot be read as its type.
        PipelineError: If the text is no value at all.
    """
    hint = _find(name).hint
    try:
        return read_value(hint, parse_value(text))
    except OptionValueError as error:
        raise ConfigError(f"config option {name!r}: {error}") from None


def add_config_source(load_for: Callable[[str], object], load: Callable[[], object]) -> None:
    """Have options found that the modules of passes register, before these are imported.

    Args:
        load_for: Imports the module of the pass with this name, if there is one.
        load: Imports them all.
    """
    _SOURCES.append((load_for, load))


def _find(name: str) -> _Option:
    if name not in _OPTIONS:
        _load_owner(str(name))
    found = _OPTIONS.get(name)
    if found is None:
        for _, load in _SOURCES:
            load()  # an option may be named after no pass, and all there are is to be said below
        found = _OPTIONS.get(name)
    if found is None:
        raise ConfigError(
            f"no config option {name!r} is registered{suggest(str(name), _OPTIONS)}; "
            f"there are {', '.join(sorted(_OPTIONS))}"
        )
    return found


def _load_owner(name: str) -> None:
    """Import the pass that an option is named after: ``relay.FuseOps.max_depth``."""
    for word in name.split(".")[:-1]:
        if not word[:1].isupper():
            continue  # only passes are written like that
        for load_for, _ in _SOURCES:
            load_for(word)


def _check(name: str, hint: object, value: object) -> object:
    try:
        return check_value(hint, value)
    except OptionValueError as error:
        raise ConfigError(f"config option {name!r}: {error}") from None


IMMUTABLE_MODULE: Final = "testing.immutable_module"
register_config_option(
    IMMUTABLE_MODULE,
    bool,
    default=False,
    description="refuse passes that change the program they are given in place",
)
