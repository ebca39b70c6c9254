"""Name mangling: what handlers and texts call a kind of a domain other than its language's."""

from __future__ import annotations

from typing import Final

from relayish.errors import DeclarationError


def mangle(domain: str, operator: str) -> str:
    """Return the visit name of the kind that is ``operator`` of ``domain``.

    No two kinds have the same one, whatever is declared besides. One underscore parts the operator
    from a domain in which there is none, two stand for the dots in any other and behind it.

    Raises:
        DeclarationError: If underscores in one of the names would be taken for what parts names.

    Example:
        >>> mangle("complex", "mul"), mangle("a", "b_c")
        ('complex_mul', 'a_b_c')
        >>> mangle("a_b", "c"), mangle("a.b", "c"), mangle("a.b_c", "d")
        ('a_b__c', 'a__b__c', 'a__b_c__d')
    """
    parts = (*domain.split("."), operator)
    odd = next((part for part in parts if "__" in part or part.strip("_") != part), None)
    if odd is not None:
        raise DeclarationError(
            f"a kind is declared as {operator!r} of the domain {domain!r}, but its handlers are "
            f"called by both, with underscores between them, and {odd!r} begins or ends with one "
            f"or has two in a row; choose a name that does not"
        )
    return ("__" if len(parts) > _SIMPLE or "_" in domain else "_").join(parts)


_SIMPLE: Final = 2
"""The parts of a name whose domain has no dot: domain and operator."""
