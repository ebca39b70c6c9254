"""Languages: kinds of nodes that are declared, named, visited and written together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from relayish.errors import DeclarationError
from relayish.ir.domains.domain import Domain, get_domain, is_domain
from relayish.ir.domains.property import Property
from relayish.ir.registration.claims import Claim, Claims, claim_of
from relayish.ir.registration.declarations import watch_table
from relayish.ir.registration.packages import load_packages


class Language:
    """A name space of kinds of nodes.

    Families of a language share the names of their handlers: no two kinds of Relay are both
    visited by ``visit_let``, whichever package declares them; a kind of another language may be.

    Args:
        name: A name no other language has; qualifies kinds in the generic text form.
        literal: How to make a literal of a number, for advice in errors: ``"const({})"``.
        named: How to make a node of the name of an operator, likewise: ``"get_op({})"``.
        as_literal: Makes a literal of a number, so that numbers may be given where a field takes
            literals; by default they are refused, with the advice above.
        is_tree: Whether programs are trees, though Python may hold one object in several places of
            one: what stands in two places is evaluated twice. Otherwise they are graphs, and a
            node is evaluated once in the scope that all of its uses are in.
        root: The family for which it is made, if there is one.

    Attributes:
        kinds: The concrete node classes, by visit name.
        families: The visit names of abstract node classes, which handlers may serve as well.
    """

    __slots__ = ("_claim", "as_literal", "families", "is_tree", "kinds", "literal", "name", "named")

    as_literal: Callable[[Any], object] | None  # Any: a number

    def __init__(
        self,
        name: str,
        literal: str = "",
        named: str = "",
        *,
        as_literal: Callable[[Any], object] | None = None,  # Any: a number
        is_tree: bool = False,
        root: type[Any] | None = None,
    ) -> None:
        self._claim: Claim = claim_of(root)
        self.as_literal = as_literal
        self.is_tree = is_tree
        self.name = name
        self.literal = literal
        self.named = named
        self.kinds: dict[str, type[Any]] = {}  # Any: node classes, which stand above this file
        self.families: set[str] = set()

    @property
    def domain(self) -> Domain:
        """The domain that its kinds belong to, which is called as the language is."""
        return get_domain(self.name)

    def declare(
        self,
        visit: str,
        kind: type[Any],
        num_children: int | None,
        properties: Property | Callable[[], Property] = Property.NONE,
    ) -> type[Any] | None:
        """Enter ``kind``, a node class, under its visit name, as an operator of its domain.

        Returns:
            The class that had the name before, if there is one.

        A kind declared again by the same code takes the place of what it was before, and so does a
        language.

        Raises:
            DeclarationError: If the name is no identifier, or reserved, or if another language is
                called as this one is.
            DuplicateNameError: If another class has the name, or another kind of the domain.
        """
        if _NAME.fullmatch(visit) is None or visit in RESERVED:
            raise DeclarationError(
                f"{kind.__module__}.{kind.__qualname__} has the visit name {visit!r}; expected an "
                f"identifier, and none of {', '.join(sorted(RESERVED))}, since functors have "
                f"visit_{min(RESERVED)} and the like already; choose another"
            )
        named = _LANGUAGES.setdefault(self.name, self)
        where = f"{kind.__module__}.{kind.__qualname__}"
        if named is not self and self._claim.repeats(named._claim):  # noqa: SLF001 - one of its class
            self.kinds, self.families = named.kinds, named.families
            _LANGUAGES[self.name] = named = self
        if named is not self:
            other = next(iter(named.kinds.values()), kind)
            raise DeclarationError(
                f"language {self.name!r} of {where} is taken by "
                f"{other.__module__}.{other.__qualname__}; choose another name: "
                f"class {kind.__mro__[-3].__name__}(Node, language=Language(...))"
            )
        if not is_domain(self.name):
            Domain(self.name)
        owner = get_domain(kind.domain_)
        _CLAIMS.enter(
            (self.name, visit),
            kind,
            f"visit name {visit!r}",
            taken=visit in self.kinds,
            instead="choose another",
        )
        before = self.kinds.get(visit)
        self.forget(visit)
        owner.add(kind.operator_, None, num_children, properties, is_kind=True)
        self.kinds[visit] = kind
        families = {
            str(base.__dict__["visit_name"])
            for base in kind.__mro__[1:]
            if "visit_name" in base.__dict__
        }
        self.families.update(families)
        for listener in _LISTENERS:
            for name in (visit, *sorted(families)):
                listener(name)
        return before

    def forget(self, visit: str) -> None:
        """Take the kind of a visit name out, if it is there."""
        kind = self.kinds.pop(visit, None)
        if kind is not None and is_domain(kind.domain_):
            get_domain(kind.domain_).remove(kind.operator_, is_kind=True)

    def qualified(self, visit: str, within: str) -> str:
        """Return the name of a kind, with that of its language where it is not ``within``."""
        return visit if self.name == within else f"{self.name}.{visit}"

    def __repr__(self) -> str:
        return f"Language({self.name!r})"


RESERVED: Final = frozenset({"children", "counter", "limit", "node"})
"""What follows ``visit_`` in names that functors have beside those of their handlers for kinds."""

_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_LANGUAGES: Final[dict[str, Language]] = {}
watch_table(_LANGUAGES, lambda _, language: bool(language.kinds))
_CLAIMS: Final[Claims[tuple[str, str]]] = Claims()
_LISTENERS: Final[list[Callable[[str], None]]] = []


def on_declaration(listener: Callable[[str], None]) -> None:
    """Call ``listener`` with the visit name of each kind and family, declared by now or later.

    It may be told a name more than once: of several languages, or of one kind declared again.
    """
    for language in _LANGUAGES.values():
        for name in (*language.kinds, *sorted(language.families)):
            listener(name)
    _LISTENERS.append(listener)


def find_kind(language: str, visit: str) -> type[Any] | None:  # Any: a class of nodes
    """Return the kind of that visit name, ``None`` if there is none.

    Packages that declare kinds are imported where that is so.

    Raises:
        PackageError: If one cannot be imported.
    """
    found = _kind(language, visit)
    if found is not None:
        return found
    for _ in load_packages(language, visit):
        found = _kind(language, visit)
        if found is not None:
            return found
    return None


def _kind(language: str, visit: str) -> type[Any] | None:  # Any: as above
    held = _LANGUAGES.get(language)
    return None if held is None else held.kinds.get(visit)


def languages() -> Mapping[str, Language]:
    """Return every language that has kinds, by name."""
    return dict(_LANGUAGES)
