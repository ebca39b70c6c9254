"""Typed options: of passes, of analyses, and of the configuration of a :class:`PassContext`.

An option has an annotation; a Python value is checked against it, and a value written in a
pipeline string or on the command line is read by it.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, Literal, cast

from relayish.errors import DeclarationError, OptionError, PipelineError, suggest
from relayish.ir.modules.module import Module
from relayish.registry.syntax import Written, WrittenSequence


class OptionValueError(ValueError):
    """A value does not fit an option; the caller says of which option, and where."""


class _Missing(Enum):
    MISSING = "must be given"


MISSING: Final = _Missing.MISSING
"""The default of an option that must be given."""


@dataclasses.dataclass(frozen=True, slots=True)
class PassOption:
    """One option of a pass or analysis: a field, or a parameter of the constructor or factory.

    A field may have an abbreviation and a description, in its metadata.
    """

    name: str
    hint: Any  # Any: an annotation
    default: object = MISSING
    abbreviation: str = ""
    description: str = ""

    def __str__(self) -> str:
        given = "" if self.default is MISSING else f" = {self.default!r}"
        return f"{self.name}: {describe_hint(self.hint)}{given}"


def field_options(cls: type) -> tuple[PassOption, ...]:
    """Return the options that the fields of a dataclass stand for, in order."""
    hints = resolve_hints(cls, f"{cls.__module__}.{cls.__qualname__}")
    return tuple(
        PassOption(
            declared.name,
            hints[declared.name],
            _field_default(declared),
            declared.metadata.get("abbreviation", ""),
            declared.metadata.get("description", ""),
        )
        for declared in dataclasses.fields(cls)
        if declared.init
    )


def parameter_options(
    function: Callable[..., object], signature: inspect.Signature, owner: str, what: str = "pass"
) -> tuple[PassOption, ...]:
    """Return the options that the parameters of ``function`` stand for, in order.

    Parameters that collect (``*args``, ``**kwargs``) are no options.

    Raises:
        DeclarationError: If a parameter has no annotation or cannot be given by name.
    """
    hints = resolve_hints(function, owner, what)
    options = []
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY or parameter.name not in hints:
            raise DeclarationError(
                f"parameter {parameter.name!r} of {what} {owner} must be annotated and may not be "
                f"positional only; it is an option that is given by name"
            )
        default = MISSING if parameter.default is parameter.empty else parameter.default
        options.append(PassOption(parameter.name, hints[parameter.name], default))
    return tuple(options)


def _field_default(declared: dataclasses.Field[Any]) -> object:  # Any: fields of every type
    if declared.default is not dataclasses.MISSING:
        return declared.default
    if declared.default_factory is not dataclasses.MISSING:
        return declared.default_factory()
    return MISSING


def find_option(options: Sequence[PassOption], name: str) -> PassOption | None:
    """Return the option that goes by ``name``, its own name or a short one; ``None`` if none."""
    if not name:
        return None
    return next((o for o in options if name in (o.name, o.abbreviation)), None)


def resolve_hints(
    declared: Callable[..., object], owner: str, what: str = "pass"
) -> Mapping[str, Any]:
    """Return the annotations of a function or class, evaluated.

    Raises:
        DeclarationError: If one names what is not known where ``declared`` stands.
    """
    try:
        return typing.get_type_hints(declared)
    except NameError as error:
        raise DeclarationError(
            f"cannot resolve the annotations of {what} {owner}: {error}; "
            f"import what they name at the top of the module"
        ) from error


def describe_hint(hint: Any) -> str:  # Any: an annotation
    """Return an annotation as it is written in source."""
    if hint is type(None):
        return "None"
    if typing.get_args(hint):
        return str(hint).replace("typing.", "").replace("collections.abc.", "")
    return getattr(hint, "__name__", str(hint))


def check_option(owner: str, option: PassOption, value: object, what: str = "pass") -> object:
    """Return ``value`` as the option of the pass, or whatever else, ``owner`` wants it.

    Raises:
        PipelineError: If the value does not fit.
    """
    try:
        return check_value(option.hint, value)
    except OptionValueError as error:
        raise PipelineError(f"option {option.name!r} of {what} {owner}: {error}") from None


def check_given(
    owner: str,
    options: Sequence[PassOption],
    positional: Sequence[object],
    named: Mapping[str, object],
    what: str = "pass",
    common: Sequence[PassOption] = (),
) -> None:
    """Refuse arguments that are no options of the pass, or whatever else, ``owner``, or too few.

    What all such things have, ``common``, is told in errors, and is no option here.

    Raises:
        OptionError: Saying which there are, or that what has options is made before it is called.
    """
    if positional and isinstance(positional[0], Module):
        needs = "..." if any(option.default is MISSING for option in options) else ""
        raise OptionError(
            f"{owner}(...) makes a pass, of options; found a module; write {owner}({needs})(mod)"
        )
    if len(positional) > len(options):
        raise OptionError(
            f"{what} {owner} is given {len(positional)} options by position; "
            f"{_list_options(options)}"
        )
    given = {option.name for option in options[: len(positional)]}
    for name in named:
        if name in given:
            raise OptionError(f"{what} {owner} is given the option {name!r} twice")
        if all(option.name != name for option in options):
            raise OptionError(describe_unknown_option(owner, options, name, what, common))
    for option in options:
        if option.default is MISSING and option.name not in given and option.name not in named:
            raise OptionError(f"{what} {owner} must be given the option {option}")


def describe_unknown_option(
    owner: str,
    options: Sequence[PassOption],
    name: str,
    what: str = "pass",
    common: Sequence[PassOption] = (),
) -> str:
    """Return the message for an option that the pass, or whatever else, ``owner`` has not."""
    near = suggest(name, [option.name for option in (*options, *common)])
    also = f"; every {what} has {', '.join(option.name for option in common)}" if common else ""
    return f"{what} {owner} has no option {name!r}{near}; {_list_options(options)}{also}"


def _list_options(options: Sequence[PassOption]) -> str:
    return f"it has {', '.join(o.name for o in options)}" if options else "it has none"


def check_value(hint: Any, value: Any) -> object:  # Any: an annotation, a value not yet checked
    """Return ``value`` as the annotation wants it.

    A list becomes a tuple and a whole number a float where those are asked for; nothing else is
    converted. Annotations this module cannot judge accept everything.

    Raises:
        OptionValueError: If the value does not fit.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return _fit_first(arguments, hint, check_value, value)
    if origin is Literal:
        return _choose_from(arguments, value)
    if origin is tuple or hint is tuple:
        return _check_tuple(hint, arguments, value)
    kind = origin or hint
    if kind is float and type(value) is int:
        return float(value)
    if kind is int and not isinstance(value, (bool, int)) and hasattr(value, "__index__"):
        return int(value.__index__())
    if kind is int and isinstance(value, bool):
        raise _misfit(hint, value)
    if isinstance(kind, type) and not _is_instance(value, kind):
        raise _misfit(hint, value)
    if kind is Mapping and arguments:
        _check_mapping(arguments, value)
    return value


def _check_mapping(
    arguments: tuple[Any, Any],  # Any: annotations
    mapping: Mapping[object, object],
) -> None:
    """Refuse a mapping of which a key or a value does not fit; what it holds is not converted."""
    for key, value in mapping.items():
        for hint, item in zip(arguments, (key, value), strict=True):
            try:
                check_value(hint, item)
            except OptionValueError as error:
                raise OptionValueError(f"in what is given for {key!r}: {error}") from None


def _is_instance(value: object, kind: type) -> bool:
    try:
        return isinstance(value, kind)
    except TypeError:  # Any, protocols and typed dictionaries: classes that cannot be asked
        return True


def _check_tuple(
    hint: Any,  # Any: an annotation
    arguments: tuple[Any, ...],
    value: object,
) -> object:
    if not isinstance(value, (tuple, list)):
        raise _misfit(hint, value)
    members = _member_hints(hint, arguments, len(value))
    items = tuple(check_value(m, item) for m, item in zip(members, value, strict=True))
    unchanged = type(value) is tuple and all(a is b for a, b in zip(items, value, strict=True))
    return value if unchanged else items


def _member_hints(
    hint: Any, arguments: tuple[Any, ...], count: int
) -> tuple[Any, ...]:  # Any: hints
    if not arguments:
        return (object,) * count
    if arguments[1:] == (Ellipsis,):
        return (arguments[0],) * count
    if len(arguments) != count:
        raise OptionValueError(f"expected {describe_hint(hint)}; found {count} items")
    return arguments


def read_value(hint: Any, written: Written | WrittenSequence) -> object:  # Any: an annotation
    """Return what is written, read as the annotation wants it.

    Raises:
        OptionValueError: If it cannot be read so.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        nothing_first = sorted(arguments, key=lambda member: member is not type(None))
        return _fit_first(tuple(nothing_first), hint, read_value, written)
    if origin is tuple or hint is tuple:
        if not isinstance(written, WrittenSequence):
            raise OptionValueError(f"expected {describe_hint(hint)}, as (a, b); found {written}")
        members = _member_hints(hint, arguments or (str, ...), len(written.items))
        return tuple(read_value(m, w) for m, w in zip(members, written.items, strict=True))
    if origin is Mapping:
        return _read_mapping(hint, arguments, written)
    if isinstance(written, WrittenSequence):
        raise OptionValueError(f"expected {describe_hint(hint)}; found {written}")
    if origin is Literal:
        by_text = {str(choice).lower(): choice for choice in arguments}
        return _choose_from(arguments, by_text.get(written.text.lower(), written.text))
    read = _READERS.get(hint)
    if read is None:
        raise OptionValueError(
            f"a {describe_hint(hint)} cannot be written in text; build the pass in Python"
        )
    return read(hint, written)


def _read_mapping(
    hint: object,
    arguments: tuple[Any, ...],  # Any: annotations
    written: Written | WrittenSequence,
) -> dict[object, object]:
    """Return the mapping that is written as its pairs: ``((a, 1), (b, 2))``."""
    if not isinstance(written, WrittenSequence):
        raise OptionValueError(
            f"expected {describe_hint(hint)}, as ((a, b), (c, d)); found {written}"
        )
    key, value = arguments
    pair = types.GenericAlias(tuple, (key, value))
    return dict(cast("tuple[object, object]", read_value(pair, each)) for each in written.items)


def _read_bool(hint: object, written: Written) -> bool:
    value = {"true": True, "false": False}.get(written.text.lower())
    if value is None or written.quoted:
        raise OptionValueError(f"expected {describe_hint(hint)} (true or false); found {written}")
    return value


def _read_none(_hint: object, written: Written) -> None:
    if written.quoted or written.text.lower() != "none":
        raise OptionValueError(f"expected none; found {written}")


def _read_number(hint: type[int | float], written: Written) -> int | float:
    if written.quoted:
        raise OptionValueError(f"expected {describe_hint(hint)}; found {written}")
    is_hexadecimal = hint is int and written.text.lower().lstrip("+-").startswith("0x")
    try:
        value = int(written.text, 16) if is_hexadecimal else hint(written.text)
    except ValueError:
        raise OptionValueError(f"expected {describe_hint(hint)}; found {written}") from None
    if isinstance(value, int) and not _LEAST <= value <= _GREATEST:
        raise OptionValueError(f"expected {describe_hint(hint)} of 64 bits; found {written}")
    if isinstance(value, float) and math.isinf(value) and "inf" not in written.text.lower():
        raise OptionValueError(
            f"expected {describe_hint(hint)}; found {written}, which is too large for one"
        )
    return value


_LEAST, _GREATEST = -(2**63), 2**64 - 1
"""What is written as a whole number fits a machine word, with a sign or without."""


def _read_str(_hint: object, written: Written) -> str:
    return written.text


_READERS: Final[dict[object, Callable[[Any, Written], object]]] = {  # Any: the hint that is the key
    bool: _read_bool,
    int: _read_number,
    float: _read_number,
    str: _read_str,
    type(None): _read_none,
}


def _fit_first(
    members: tuple[Any, ...],  # Any: annotations
    hint: object,
    fit: Callable[[Any, Any], object],  # Any: an annotation, a value not yet checked
    value: object,
) -> object:
    for member in members:
        try:
            return fit(member, value)
        except OptionValueError:
            continue  # the next member may fit; when none does, the error below says so
    raise _misfit(hint, value)


def _choose_from(choices: tuple[object, ...], value: object) -> object:
    for choice in choices:
        if type(choice) is type(value) and choice == value:
            return choice
    raise OptionValueError(f"expected one of {', '.join(map(repr, choices))}; found {value!r}")


def _misfit(hint: object, value: object) -> OptionValueError:
    shown = str(value) if isinstance(value, (Written, WrittenSequence)) else repr(value)
    return OptionValueError(f"expected {describe_hint(hint)}; found {shown}")
