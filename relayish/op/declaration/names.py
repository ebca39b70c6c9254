"""Names in declarations: of operators, of their arguments, of domains."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword

from relayish.errors import DeclarationError, FieldError
from relayish.ir.domains.domain import Domain
from relayish.op.declaration.signature import split_annotations


def check_name(name: object) -> None:
    """Refuse what is no name of an operator, or key of a property.

    Raises:
        FieldError: Naming what it is.
    """
    if not isinstance(name, str):
        raise FieldError(f"{name!r} ({type(name).__name__}) is no name; expected a text: 'nn.relu'")


def domain_name(domain: Domain | str) -> str:
    """Return the name of a domain, which may be given by it.

    Raises:
        FieldError: If it is neither a domain nor a name.
    """
    given: object = domain  # still to be checked
    if not isinstance(given, (Domain, str)):
        raise FieldError(
            f"{given!r} ({type(given).__name__}) is no domain; expected a Domain or its name"
        )
    return given if isinstance(given, str) else given.name


def checked_arguments(op: str, given: object) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the names of the arguments of ``op``, and what those are annotated with that are.

    Raises:
        DeclarationError: If they are missing, no names or keywords, or one comes twice.
    """
    if given is None:
        raise DeclarationError(
            f"operator {op!r} is declared without the names of its arguments; say them: "
            f"arguments=('data',), or arguments=() where it takes none"
        )
    said: tuple[object, ...] = tuple(given) if isinstance(given, Sequence) else (given,)
    names, types = split_annotations([each for each in said if isinstance(each, str)])
    reserved = [name for name in names if iskeyword(name)]
    if reserved:
        raise DeclarationError(
            f"argument {reserved[0]!r} of operator {op!r} has the name of a keyword of Python, so "
            f"that no call could name it; choose another, such as '{reserved[0].lower()}_'"
        )
    wrong = len(names) < len(said) or any(not name.isidentifier() for name in names)
    if isinstance(given, str) or wrong:
        meant = f"arguments=({given!r},)" if isinstance(given, str) else "arguments=('data',)"
        raise DeclarationError(
            f"arguments of operator {op!r} is {given!r}; expected a tuple of the names of its "
            f"arguments, which are identifiers: {meant}"
        )
    if len(set(names)) < len(names):
        raise DeclarationError(f"arguments of operator {op!r} names one twice: {names}")
    return names, types
