"""References in declarations: arguments, attributes, element types that have to exist."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from relayish.errors import DeclarationError, FieldError, suggest
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.declaration.signature import ARRAY, read_signature


class Declared:
    """What the arguments and the attributes of an operator are called."""

    def __init__(
        self, op: str, arguments: tuple[str, ...], attrs_type: type[Attrs] | None, text: str | None
    ) -> None:
        self.op = op
        self.arguments = arguments
        self.attributes = () if attrs_type is None else attrs_type.field_names
        self._signature = text

    def find_parameters(self) -> tuple[str, ...]:
        """Return the parameters of the builder."""
        if self._signature is None:
            return (*self.arguments, *self.attributes)
        try:
            return tuple(read_signature(self._signature))
        except (SyntaxError, ValueError):
            return ()  # which is refused when the builder is made

    def refuse(self, found: str, expected: str) -> DeclarationError:
        return DeclarationError(f"operator {self.op!r} {found}; expected {expected}")


def check_argument_types(op: str, types: Mapping[str, str]) -> None:
    """Refuse annotations of arguments that are no element types.

    Raises:
        DeclarationError: Naming the argument, and its annotation.
    """
    for name, annotation in types.items():
        if annotation == ARRAY:
            continue
        try:
            numpy_dtype(annotation)
        except FieldError as error:
            raise DeclarationError(
                f"argument {name!r} of operator {op!r} is annotated with {annotation!r}; expected "
                f"an element type that numbers can have, as in '{name}: int32', or {ARRAY!r}"
            ) from error


def check_references(declared: Declared, told: Mapping[str, Any]) -> None:  # Any: of each its own
    """Refuse what names, or counts, arguments and attributes that the operator does not have.

    Raises:
        DeclarationError: Naming what is told, and what there is.
    """
    for name, check in _CHECKS.items():
        if told.get(name):
            check(declared, told[name])


def _check_other_names(declared: Declared, others: Mapping[str, str]) -> None:
    known = declared.find_parameters()
    for other, name in others.items():
        if name not in known:
            raise declared.refuse(
                f"has {other!r} as another name of {name!r}, which is no parameter"
                f"{suggest(str(name), known)}",
                _one_of(known),
            )
        if other in known:
            raise declared.refuse(
                f"has {other!r} as another name of {name!r}, and as a parameter of its own",
                f"another name than {_listed(known)}",
            )


def _check_chosen_dtype(declared: Declared, name: str) -> None:
    if name not in declared.attributes:
        raise declared.refuse(
            f"is told its element type in {name!r}, which is none of its attributes"
            f"{suggest(name, declared.attributes)}",
            _one_of(declared.attributes),
        )


def _check_commutative(declared: Declared, _: bool) -> None:
    if len(declared.arguments) != _SIDES:
        raise declared.refuse(
            f"is commutative and has {len(declared.arguments)} arguments: "
            f"({', '.join(declared.arguments)})",
            "two, which may be swapped",
        )


_SIDES: Final = 2


def _check_in_place(declared: Declared, pairs: Iterable[object]) -> None:
    for pair in pairs:
        match pair:
            case (int(argument), int(result)) if result >= 0:
                _check_place(declared, "in_place", argument)
            case _:
                raise declared.refuse(f"has {pair!r} in in_place", "pairs (argument, result)")


def _check_overwritable(declared: Declared, places: Iterable[object]) -> None:
    for place in places:
        _check_place(declared, "overwritable", place)


def _check_place(declared: Declared, told: str, place: object) -> None:
    count = len(declared.arguments)
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < count:
        raise declared.refuse(
            f"has argument {place!r} in {told}",
            f"a number from 0 to {count - 1}" if count else "none, for it takes no arguments",
        )


def _check_first_argument(told: str) -> Callable[[Declared, object], None]:
    def check(declared: Declared, _: object) -> None:
        if not declared.arguments:
            raise declared.refuse(f"has {told} and takes no arguments", "an argument that is given")

    return check


_CHECKS: Final[dict[str, Callable[[Declared, Any], None]]] = {  # Any: as above
    "other_names": _check_other_names,
    "chosen_dtype": _check_chosen_dtype,
    "commutative": _check_commutative,
    "in_place": _check_in_place,
    "overwritable": _check_overwritable,
    "view": _check_first_argument("view"),
    "mark": _check_first_argument("mark"),
    "shape_only": _check_first_argument("shape_only"),
}
"""By what is told: what refuses it."""


def _one_of(names: Collection[str]) -> str:
    return f"one of {_listed(names)}" if names else "none, for it has none"


def _listed(names: Collection[str]) -> str:
    return ", ".join(names)
