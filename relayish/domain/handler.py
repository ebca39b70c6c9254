"""Handlers: what is done with the operators of one domain.

A :class:`Handler` has a method ``handle_<operator>(visitor, node)`` for each operator of its domain
that it knows, and a visitor is assembled from the handlers of several domains. The names are looked
up when the class is defined, so that a misspelt one is an error there.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Self

from relayish.domain.dispatch import Dispatch, Handle
from relayish.errors import DeclarationError, DispatchError, suggest
from relayish.ir.domains.domain import Domain, get_domain
from relayish.ir.domains.language import languages
from relayish.ir.kinds.one_line import one_line, show_found
from relayish.ir.kinds.opcode import operator_of
from relayish.ir.scopes.blocks import is_block

PREFIX: Final = "handle_"
"""What the names of methods for operators begin with."""


class Handler:
    """What is done with the operators of one domain; the base of all handlers.

    A subclass names its domain and has methods for its operators::

        class Count(Handler, domain="complex"):
            def handle_cmul(self, visitor, node): ...

    A method that serves a family of kinds, such as ``handle_stmt``, stands in for those that have
    none. A subclass of that overrides some and is assembled in its place. Operators that have no
    method go to :meth:`any_operator`, which refuses them.

    Args:
        domain: The domain it serves, where its class does not say.

    Attributes:
        domain: The domain whose operators it handles.

    Raises:
        DeclarationError: If neither the class nor the argument names a domain; when a class is
        DeclarationError: If neither the class nor the argument names a domain; when a class is
            defined, or made for a domain that it does not name: if a method called ``handle_*``
            names no operator of the domain.
        UnknownNameError: If there is no such domain.

    Source:
        AIR ``core::HANDLER`` and handler implementations.
    """

    domain: Domain
    task: str | None = None
    """For what it stands in where a domain registered no handler; ``None``: for nothing."""
    _served: ClassVar[str | None] = None

    def __init_subclass__(cls, *, domain: str | Domain | None = None, **options: Any) -> None:
        # Any: passed on to other bases
        super().__init_subclass__(**options)
        if domain is not None:
            name = domain if isinstance(domain, str) else domain.name
            if cls._served is not None and cls._served != name:
                raise DeclarationError(
                    f"{cls.__name__} is to handle the domain {name!r}, but a base of it handles "
                    f"{cls._served!r}; a handler serves one domain"
                )
            cls._served = name
        if cls._served is not None:
            _check_names(cls, get_domain(cls._served))

    def __init__(self, domain: str | Domain | None = None) -> None:
        self._choose(domain)

    def __new__(cls, *_args: object, **_options: object) -> Self:
        self = super().__new__(cls)
        if cls._served is not None:
            self.domain = get_domain(cls._served)
        return self

    def _choose(self, domain: str | Domain | None) -> None:
        """Serve ``domain``, which the class may have said before."""
        served = type(self)._served  # noqa: SLF001 - its own class
        if domain is None and served is None:
            raise DeclarationError(
                f"{type(self).__name__}() serves no domain; name one: "
                f'{type(self).__name__}("nn"), or class ...({type(self).__name__}, domain="nn")'
            )
        if domain is not None:
            if not isinstance(domain, (str, Domain)):
                raise DeclarationError(
                    f"{type(self).__name__} is made for a domain, or its name; found "
                    f"{show_found(domain)}"
                )
            found = get_domain(domain if isinstance(domain, str) else domain.name)
            if served is not None and served != found.name:
                raise DeclarationError(
                    f"{type(self).__name__} handles the domain {served!r}; it cannot be made for "
                    f"{found.name!r}"
                )
            if served is None:
                _check_names(type(self), found)
            self.domain = found

    def any_operator(self, visitor: Dispatch, node: Any) -> Any:  # noqa: ARG002 - overridden
        """Do what is to be done with operators that have no method: here, refuse them.

        Raises:
            DispatchError: Naming the method to write.
        """
        operator = operator_of(node)
        raise DispatchError(
            f"{type(self).__name__} has no case for {operator.name!r} of domain "
            f"{self.domain.name!r}, met at {one_line(node)}; define "
            f"{PREFIX}{spell(operator.name)}(visitor, node)"
        )

    def find(self, names: tuple[str, ...]) -> Handle:
        """Return what serves an operator: the method of the first of ``names``, or any_operator."""
        for name in names:
            method: Handle | None = getattr(self, PREFIX + spell(name), None)
            if method is not None:
                return method
        return self.any_operator

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.domain.name!r})"


def spell(operator: str) -> str:
    """Return the name of an operator as it stands in the name of a method."""
    return operator.replace(".", "_")


def _known_names(domain: Domain) -> set[str]:
    known = {spell(name) for name in (*domain.operators, *domain.kinds)}
    known |= {name_of_kind(domain, name) for name in domain.kinds}
    for language in languages().values():
        if language.name == domain.name or any(
            kind.domain_ == domain.name for kind in language.kinds.values()
        ):
            known |= language.families
    return known


def name_of_kind(domain: Domain, kind: str) -> str:
    """Return what handlers of a kind are called after, where an operator may have its name."""
    return f"kind_{kind}" if kind in domain.operators else kind


def _check_names(cls: type[Handler], served: Domain) -> None:
    """Refuse methods of ``cls`` that are called as handlers are and name no operator."""
    handlers = [
        (base, name)
        for base in cls.__mro__
        if base is not Handler
        for name, member in base.__dict__.items()
        if name.startswith(PREFIX) and callable(member)
    ]
    known = _known_names(served) if handlers else ()
    for base, name in handlers:
        if name.removeprefix(PREFIX) not in known:
            near = suggest(name, [PREFIX + operator for operator in sorted(known)])
            raise DeclarationError(
                f"{base.__name__}.{name} names no operator of domain {served.name!r}{near}; "
                f"methods called {PREFIX}* handle operators, others need another name"
            )


class NullHandler(Handler):
    """Does nothing: no operator of the domain is looked at, nor what is below it.

    In a transformation the node stays as it is.

    Source:
        AIR ``NULL_HANDLER`` as its document has it; its sources descend into blocks, as
        :class:`BlockNullHandler` does.
    """

    def any_operator(self, visitor: Dispatch, node: Any) -> Any:  # Any: as handlers take and give
        """Return what the context leaves of a node that nobody looks at."""
        return visitor.steps.context.keep(node)


class InvalidHandler(Handler):
    """Refuses every operator: the base of handlers that may forget none.

    Source:
        AIR ``INVALID_HANDLER`` as its document has it; its sources descend into blocks, as
        :class:`BlockInvalidHandler` does.
    """

    def any_operator(self, visitor: Dispatch, node: Any) -> Any:  # noqa: ARG002 - overridden
        """Refuse ``node``.

        Raises:
            DispatchError: Always.
        """
        operator, method = operator_of(node), PREFIX + spell(operator_of(node).name)
        if self.task is None:
            missing = (
                f"{type(self).__name__} refuses what it has no method for: define "
                f"{method}(visitor, node) where it may occur"
            )
        else:
            missing = (
                f"no handler of that domain is registered for the task {self.task!r}: write "
                f"@register_handler({self.task!r}) before a class of handlers of the domain, with "
                f"{method}(visitor, node)"
            )
        raise DispatchError(
            f"unexpected {operator.name!r} of domain {self.domain.name!r}, met at "
            f"{one_line(node)}; {missing}"
        )


class DefaultHandler(Handler):
    """Does what the context does: an analysis visits the children, a transformation rebuilds.

    Source:
        AIR ``DEFAULT_HANDLER``.
    """

    def any_operator(self, visitor: Dispatch, node: Any) -> Any:  # Any: as handlers take and give
        """Return what the context does with a node: see its ``handle_node``, ``handle_block``."""
        return visitor.visit_by_default(node)


class BlockNullHandler(NullHandler):
    """Does nothing but visit the statements of blocks, whose handlers may be of other domains.

    Source:
        AIR ``NULL_HANDLER`` as its sources have it.
    """

    def any_operator(self, visitor: Dispatch, node: Any) -> Any:  # Any: as handlers take and give
        """Visit the statements of a block; leave anything else."""
        if is_block(type(node)):
            return visitor.visit_by_default(node)
        return super().any_operator(visitor, node)


class BlockInvalidHandler(InvalidHandler):
    """Refuses every operator but blocks, whose statements it visits.

    Source:
        AIR ``INVALID_HANDLER`` as its sources have it.
    """

    def any_operator(self, visitor: Dispatch, node: Any) -> Any:  # Any: as handlers take and give
        """Visit the statements of a block; refuse anything else.

        Raises:
            DispatchError: For anything else.
        """
        if is_block(type(node)):
            return visitor.visit_by_default(node)
        return super().any_operator(visitor, node)
