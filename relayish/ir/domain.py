"""Domains: sets of operators that packages declare without knowing of one another."""

from __future__ import annotations

from typing import Final, NamedTuple

from relayish.errors import DuplicateNameError, UnknownNameError, suggest


class Operator(NamedTuple):
    """One operator of a domain.

    Attributes:
        number: Which operator of its domain it is.
        name: What it is called; other domains may use the name as well.
        num_children: How many operands it takes, or ``None`` where that differs.
        properties: What else is known of it, by name.
    """

    number: int
    name: str
    num_children: int | None = None
    properties: frozenset[str] = frozenset()


class Domain:
    """A set of operators, told from those of other domains by name and number of the domain.

    Relay's operators belong to a domain, and so does every kind of node, under its visit name.

    Args:
        name: A name no other domain has.
        id: A number no other domain has; by default the least that is free.

    Raises:
        DuplicateNameError: If another domain has the name or the number; names both.

    Source:
        AIR's ``META_INFO`` and ``Register_domain``.
    """

    __slots__ = ("_by_number", "id", "name", "operators")

    name: str
    id: int

    def __init__(self, name: str, id: int | None = None) -> None:  # noqa: A002 - AIR's name
        by_id = {domain.id: domain for domain in _DOMAINS.values()}
        if name in _DOMAINS:
            raise DuplicateNameError(
                f"two domains claim the name {name!r}, under the ids {_DOMAINS[name].id} and "
                f"{id}; choose another name"
            )
        if id in by_id:
            raise DuplicateNameError(
                f"two domains claim the id {id}: {by_id[id].name!r} and {name!r}; "
                f"choose another number, or leave it out"
            )
        self.name = name
        self.id = next(n for n in range(len(by_id) + 1) if n not in by_id) if id is None else id
        self.operators: dict[str, Operator] = {}
        self._by_number: dict[int, Operator] = {}
        _DOMAINS[name] = self

    def add(
        self,
        name: str,
        number: int | None = None,
        num_children: int | None = None,
        properties: frozenset[str] = frozenset(),
    ) -> Operator:
        """Declare an operator and return it.

        Args:
            name: What it is called within the domain.
            number: Which operator it is; by default the least number that is free.
            num_children: How many operands it takes, if always as many.
            properties: What else is known of it.

        Raises:
            DuplicateNameError: If the domain has an operator of that name or number.
        """
        taken = self._by_number
        if number is None:
            number = next(n for n in range(len(taken) + 1) if n not in taken)
        if name in self.operators:
            raise DuplicateNameError(f"domain {self.name} declares operator {name!r} twice")
        if number in taken:
            raise DuplicateNameError(
                f"two operators of domain {self.name} claim the number {number}: "
                f"{taken[number].name} and {name}"
            )
        made = self.operators[name] = taken[number] = Operator(
            number, name, num_children, properties
        )
        return made

    def remove(self, name: str) -> None:
        """Take an operator out, if it is there."""
        found = self.operators.pop(name, None)
        if found is not None:
            del self._by_number[found.number]

    def __repr__(self) -> str:
        return f"Domain({self.name!r}, {self.id})"


_DOMAINS: Final[dict[str, Domain]] = {}


def get_domain(name: str) -> Domain:
    """Return the domain ``name``.

    Raises:
        UnknownNameError: If there is none.
    """
    found = _DOMAINS.get(name)
    if found is None:
        raise UnknownNameError(f"no domain {name!r} is declared{suggest(name, _DOMAINS)}")
    return found


def list_domains() -> tuple[Domain, ...]:
    """Return all domains, by id."""
    return tuple(sorted(_DOMAINS.values(), key=lambda domain: domain.id))


def remove_domain(name: str) -> None:
    """Forget a domain, if it is there; for tests and interactive work."""
    _DOMAINS.pop(name, None)
