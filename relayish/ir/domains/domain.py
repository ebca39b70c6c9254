"""Domains: sets of operators that packages declare without knowing of one another."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from relayish._support.own import LIBRARY, is_own
from relayish.errors import DeclarationError, DuplicateNameError, UnknownNameError, suggest
from relayish.ir.domains.property import Property, spell_properties
from relayish.ir.registration.claims import Claims, claim_of
from relayish.ir.registration.declarations import watch_table
from relayish.ir.registration.packages import load_packages


class Operator(NamedTuple):
    """One operator of a domain: a kind of node, or what nodes of one kind call by its name.

    Attributes:
        number: Which operator of its domain it is; kinds and others are numbered together.
        name: What it is called; other domains may use the name as well.
        num_children: How many children it has, or ``None`` where that differs.
        told: What else is known of it, or what finds that out.
        is_kind: Whether it is a kind of node of the language that is called as the domain is.
    """

    number: int
    name: str
    num_children: int | None = None
    told: Property | Callable[[], Property] = Property.NONE
    is_kind: bool = False

    @property
    def properties(self) -> Property:
        """What else is known of it."""
        return self.told if isinstance(self.told, Property) else self.told()

    def has_property(self, wanted: Property) -> bool:
        """Return whether it has all of these properties."""
        if not isinstance(wanted, Property):
            raise DeclarationError(
                f"has_property is given {wanted!r}; expected a Property, such as Property.EXPR"
            )
        return wanted in self.properties

    def __repr__(self) -> str:
        return (
            f"Operator(number={self.number}, name={self.name!r}, "
            f"num_children={self.num_children}, properties={spell_properties(self.properties)}, "
            f"is_kind={self.is_kind})"
        )


class Opcode(NamedTuple):
    """What tells an operator from all others, of all domains."""

    domain: int
    operator: int


class _Numbers(dict[int, Operator]):
    """The operators of a domain by number; no number below ``free`` is free."""

    __slots__ = ("free",)

    def __init__(self) -> None:
        super().__init__()
        self.free = 0


class Domain:
    """A set of operators, told from those of other domains by name and number of the domain.

    Relay's operators belong to a domain, and so does every kind of node, under its visit name.
    An operator may be called as a kind of the same domain is, as Relay's ``any`` is; their numbers
    differ.

    Args:
        name: A name no other domain has: identifiers, with dots between them.
        id: A number no other domain has; by default the least that is free.

    Attributes:
        operators: What is called by name, such as the operators of Relay, by that name.
        kinds: Kinds of nodes, by visit name.

    Raises:
        DuplicateNameError: If somebody else declared a domain of that name, or another one has the
            number; names both. Declared again by the same code, a domain keeps what it holds.
        DeclarationError: If the name is not of that form, or the id is no number, 0 or more.

    Source:
        AIR's ``META_INFO`` and ``Register_domain``.

    Example:
        >>> lattices = Domain("lattices")
        >>> lattices.add("add", num_children=2)
        Operator(number=0, name='add', num_children=2, properties=NONE, is_kind=False)
        >>> get_domain("lattices").opcode("add") == (lattices.id, 0)
        True
        >>> remove_domain("lattices")
    """

    __slots__ = ("_by_number", "id", "kinds", "name", "operators")

    name: str
    id: int

    def __init__(self, name: str, id: int | None = None) -> None:  # noqa: A002 - AIR's name
        if not is_domain_name(name):
            raise DeclarationError(
                f"a domain is called {name!r}; expected identifiers with dots between them, "
                f"for the names of its operators begin with it: {name}::add"
            )
        held = _DOMAINS.get(name)
        by_id = {domain.id: domain for domain in _DOMAINS.values() if domain is not held}
        ids = "" if held is None or id is None else f", under the ids {held.id} and {id},"
        _CLAIMS.enter(
            name,
            None,
            f"the name {name!r} of a domain{ids}",
            taken=held is not None and name not in _UNCLAIMED,
            instead="choose another name",
        )
        _check_number(f"the id of domain {name!r}", id)
        if id in by_id:
            raise DuplicateNameError(
                f"two domains claim the id {id}: {by_id[id].name!r} and {name!r}; "
                f"choose another number, or leave it out"
            )
        self.name = name
        if id is None:
            free = next(n for n in range(len(by_id) + 1) if n not in by_id)
            id = free if held is None else held.id  # noqa: A001 - AIR's name
        self.id = id
        self.operators: dict[str, Operator] = {} if held is None else held.operators
        self.kinds: dict[str, Operator] = {} if held is None else held.kinds
        PLACES.clear()
        self._by_number: _Numbers = (
            _Numbers() if held is None else held._by_number  # noqa: SLF001 - one of the same class
        )
        _DOMAINS[name] = self
        _UNCLAIMED.pop(name, None)

    def add(
        self,
        name: str,
        number: int | None = None,
        num_children: int | None = None,
        properties: Property | Callable[[], Property] = Property.NONE,
        *,
        is_kind: bool = False,
    ) -> Operator:
        """Declare an operator and return it.

        Args:
            name: What it is called within the domain.
            number: Which operator it is; by default the least number that is free.
            num_children: How many children it has, if always as many.
            properties: What else is known of it, or what finds that out when it is asked.
            is_kind: Whether it is a kind of node; these have a name space of their own.

        Raises:
            DuplicateNameError: If the domain has an operator of that name or number.
            DeclarationError: If one of them is nothing of the sort, or below 0.

        Complexity:
            Constant, where operators are not numbered by hand.
        """
        _check_operator(self.name, name, num_children, properties)
        named, taken = self.kinds if is_kind else self.operators, self._by_number
        if name in named:
            raise DuplicateNameError(
                f"domain {self.name} declares operator {name!r} twice; choose another name"
            )
        if number is None:
            while taken.free in taken:
                taken.free += 1
            number = taken.free
        _check_number(f"the number of operator {name!r} of domain {self.name}", number)
        if number in taken:
            raise DuplicateNameError(
                f"two operators of domain {self.name} claim the number {number}: "
                f"{taken[number].name} and {name}; choose another number, or leave it out"
            )
        PLACES.clear()
        made = Operator(number, name, num_children, properties, is_kind)
        named[name] = taken[number] = made
        return made

    def get(self, name: str | int) -> Operator:
        """Return the operator of that name or number; by name, a kind where no other has it.

        Raises:
            UnknownNameError: If the domain has none.
        """
        if isinstance(name, int):
            found = self._by_number.get(name)
        else:
            found = self.operators.get(name) or self.kinds.get(name)
        if found is None:
            known = () if isinstance(name, int) else (*self.operators, *self.kinds)
            raise UnknownNameError(
                f"domain {self.name} has no operator {name!r}{suggest(str(name), known)}"
            )
        return found

    def called(self, name: str) -> Operator:
        """Return the operator of that name that calls name, which is no kind.

        Raises:
            UnknownNameError: If the domain has none.
        """
        found = self.operators.get(name)
        if found is None:
            raise UnknownNameError(
                f"domain {self.name} has no operator {name!r}{suggest(name, self.operators)}"
            )
        return found

    def opcode(self, name: str) -> Opcode:
        """Return the numbers of the domain and of the operator that :meth:`get` finds."""
        return Opcode(self.id, self.get(name).number)

    def remove(self, name: str, *, is_kind: bool = False) -> None:
        """Take an operator out, if it is there."""
        found = (self.kinds if is_kind else self.operators).pop(name, None)
        if found is not None:
            PLACES.clear()
            del self._by_number[found.number]
            self._by_number.free = min(self._by_number.free, found.number)

    def __repr__(self) -> str:
        return f"Domain({self.name!r}, {self.id})"


def _check_number(what: str, given: object) -> None:
    """Refuse what is no number of a domain or an operator."""
    if given is not None and (not isinstance(given, int) or isinstance(given, bool) or given < 0):
        raise DeclarationError(f"{what} is {given!r}; expected a number, 0 or more")


def _check_operator(domain: str, name: object, num_children: object, properties: object) -> None:
    """Refuse what does not describe an operator."""
    if not isinstance(name, str):
        raise DeclarationError(f"an operator of domain {domain} is called {name!r}; expected text")
    what = f"operator {name!r} of domain {domain}"
    _check_number(f"the number of children of {what}", num_children)
    if not isinstance(properties, Property) and not callable(properties):
        raise DeclarationError(
            f"{what} has the properties {properties!r}; expected a Property, such as Property.EXPR"
        )


_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_DOMAINS: Final[dict[str, Domain]] = {}
_UNCLAIMED: Final[dict[str, None]] = {}
"""The names of domains that came to be with operators of packages, and that nobody declared."""
watch_table(_UNCLAIMED)
PLACES: Final[dict[object, tuple[Domain, Operator]]] = {}
"""What was found of nodes: their domains and operators; forgotten where any of these change."""
watch_table(
    _DOMAINS,
    lambda context, domain: bool(domain.kinds) or context.stays(_CLAIMS.module_of(domain.name)),
)
_CLAIMS: Final[Claims[str]] = Claims()


def get_domain(name: str | int) -> Domain:
    """Return the domain of that name or id.

    Where there is none, installed packages that declare domains are imported.

    Raises:
        UnknownNameError: If there is none then, either.
        PackageError: If a package cannot be imported.
    """
    found = _find(name)
    if found is not None:
        return found
    for _ in load_packages(str(name)):
        found = _find(name)
        if found is not None:
            return found
    close = suggest(name, _DOMAINS) if isinstance(name, str) else ""
    raise UnknownNameError(f"no domain {name!r} is declared{close}")


def _find(name: str | int) -> Domain | None:
    if isinstance(name, str):
        return _DOMAINS.get(name)
    return next((domain for domain in _DOMAINS.values() if domain.id == name), None)


def domain_of_family(name: str) -> Domain:
    """Return the domain that a family of operators is, for the code that declares one of them.

    Where there is none it comes to be; a package may still declare it, which then keeps what it
    holds, unless the family is one of relayish.

    Raises:
        DuplicateNameError: If the family is one of relayish, and somebody else declared the domain.
    """
    held, declared_by = _DOMAINS.get(name), _CLAIMS.module_of(name) or LIBRARY
    if held is not None and is_own(declared_by):
        return held
    claim = claim_of()
    is_ours = is_own(claim.module)
    if held is None:
        held = Domain(name)
        if not is_ours:
            _UNCLAIMED[name] = None
        return held
    if is_ours:
        raise DuplicateNameError(
            f"the name {name!r} of a domain is claimed by {declared_by} and by {claim}, for a "
            f"family of operators; choose another name for the first"
        )
    return held


def list_domains() -> tuple[Domain, ...]:
    """Return all domains, by id."""
    return tuple(sorted(_DOMAINS.values(), key=lambda domain: domain.id))


def module_of(domain: Domain) -> str | None:
    """Return the module that declares ``domain``, or the first operator or kind of it."""
    return _CLAIMS.module_of(domain.name)


def is_domain_name(name: object) -> bool:
    """Return whether a domain may be called ``name``."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def is_domain(name: str) -> bool:
    """Return whether a domain ``name`` is declared."""
    return name in _DOMAINS


def remove_domain(name: str) -> None:
    """Forget a domain, if it is there; for tests and interactive work."""
    PLACES.clear()
    _DOMAINS.pop(name, None)
