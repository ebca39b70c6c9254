"""Tasks: what all domains bring handlers for, such as verification, and visitors of all of them.

A package registers a handler of its domain for a task; whoever does the task assembles a visitor of
what all domains registered, and need not know which there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias, TypeVar, overload

from relayish._support import hooks
from relayish.domain.analyze_ctx import AnalyzeCtx
from relayish.domain.handler import DefaultHandler, Handler, InvalidHandler
from relayish.domain.steps import find_method
from relayish.domain.visitor import Visitor
from relayish.errors import DeclarationError, UnknownNameError, suggest
from relayish.ir.domains.domain import get_domain, list_domains
from relayish.ir.kinds.one_line import show_found
from relayish.ir.nodes.node import Node
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import changes_of, watch_declarations, watch_table

C = TypeVar("C", bound=AnalyzeCtx)
H = TypeVar("H", bound=type[Handler])

Fill: TypeAlias = Callable[[type[Node], type[Handler], str], None]
"""``fill(kind, handler, method)``: enter a method of a handler in the table of a language."""


class Task(NamedTuple):
    """Something that domains bring handlers for.

    Attributes:
        name: What it is called.
        otherwise: The predefined handler of domains that registered none for it.
    """

    name: str
    otherwise: type[Handler]


class _Filler(NamedTuple):
    family: type[Node]
    fill: Fill


_TASKS: Final[dict[str, Task]] = {}
_HANDLERS: Final[dict[tuple[str, str], type[Handler]]] = {}
_FILLERS: Final[dict[str, tuple[_Filler, ...]]] = {}
_VIEWS: Final[set[type[Handler]]] = set()
"""Handlers that read the tables of their language, into which nothing of them is entered."""
_CLAIMS: Final[Claims[tuple[str, str]]] = Claims()

watch_table(_TASKS, lambda context, task: context.stays(_CLAIMS.module_of((task.name, ""))))
watch_declarations(  # who registers a handler, and not where its class stands, may be imported late
    lambda context: changes_of(_HANDLERS, lambda key, _: context.stays(_CLAIMS.module_of(key)))
)


def register_task(name: str, otherwise: type[Handler] = InvalidHandler) -> Task:
    """Declare something that domains bring handlers for.

    Args:
        name: What it is called.
        otherwise: The predefined handler of domains that register none: by default one that
            refuses their operators, so that none is forgotten.

    Raises:
        DuplicateNameError: If somebody else declared a task of that name.
        DeclarationError: If the name is no text.

    Example:
        >>> register_task("census", DefaultHandler).name
        'census'
    """
    if not isinstance(name, str):
        raise DeclarationError(f"a task goes by a name; found {show_found(name)}")
    _CLAIMS.enter(
        (name, ""),
        None,
        f"the name {name!r} of a task",
        taken=name in _TASKS,
        instead="choose another name",
    )
    made = _TASKS[name] = Task(name, otherwise)
    return made


def _get_task(name: str) -> Task:
    """Return the task ``name``.

    Raises:
        UnknownNameError: If there is none.
    """
    found = _TASKS.get(name)
    if found is None:
        raise UnknownNameError(
            f"no task {name!r} is declared{suggest(str(name), _TASKS)}; there are "
            f"{', '.join(sorted(_TASKS))}; register_task({name!r}) declares one"
        )
    return found


def list_tasks() -> tuple[str, ...]:
    """Return the names of all tasks, sorted."""
    return tuple(sorted(_TASKS))


@overload
def register_handler(
    task: str, handler: H, *, replace: bool = False, is_view: bool = False
) -> H: ...
@overload
def register_handler(
    task: str, *, replace: bool = False, is_view: bool = False
) -> Callable[[H], H]: ...
def register_handler(
    task: str, handler: H | None = None, *, replace: bool = False, is_view: bool = False
) -> H | Callable[[H], H]:
    """Let a class of handlers serve its domain where a task is done; also a decorator.

    Where a language keeps a table of what the task needs of each kind, as the interpreter does for
    ``"evaluate"``, the methods of the handler are entered there: whoever asks the table finds them.

    Args:
        task: The name of the task.
        handler: A class derived from :class:`~relayish.domain.Handler` that names its domain, and
            is made without arguments.
        replace: Take the place of a handler that was registered before.
        is_view: Whether the handler itself asks the tables of its language, so that nothing is
            entered there.

    Raises:
        DeclarationError: If it is no such class.
        DuplicateNameError: If somebody else registered a handler of the domain for the task, or
            what a method is entered as, and ``replace`` is false.
        UnknownNameError: If there is no such task.
    """
    _get_task(task)
    if handler is None:
        return lambda given: register_handler(task, given, replace=replace, is_view=is_view)
    served: object = handler
    if not isinstance(served, type) or not issubclass(served, Handler) or served._served is None:  # noqa: SLF001 - its base
        raise DeclarationError(
            f"register_handler({task!r}, ...) is given {show_found(handler)}; expected a class of "
            f"handlers that names its domain: class Mine(Handler, domain=...)"
        )
    domain = str(served._served)  # noqa: SLF001 - as above
    key = (task, domain)
    _CLAIMS.enter(
        key,
        handler,
        f"the domain {domain!r} has a handler for {task!r} already; the handler",
        taken=key in _HANDLERS,
        instead="assemble the second in place of the first, or say replace=True",
        replace=replace,
    )
    _HANDLERS[key] = handler
    if is_view:
        _VIEWS.add(handler)
        return handler
    hooks.load_handlers(task)  # with the tables that are to be filled
    for filler in _FILLERS.get(task, ()):
        _fill(filler, handler)
    return handler


def handler_of(task: str, domain: str) -> type[Handler] | None:
    """Return the class of handlers that a domain registered for a task, if it did."""
    _get_task(task)
    hooks.load_handlers(task)
    return _HANDLERS.get((task, domain))


def assemble(
    task: str,
    context: C,
    *instead: Handler | type[Handler],
    occurrences: bool | None = None,
) -> Visitor[C]:
    """Return a visitor of the handlers that all domains registered for a task.

    Domains that registered none are served by the predefined handler that the task names.

    Args:
        task: The name of the task.
        context: As a visitor takes it.
        instead: Handlers that take the place of those registered for their domains.
        occurrences: As a visitor takes it.

    Raises:
        DuplicateNameError: If two of ``instead`` serve one domain.
        DeclarationError: If one of them is no handler.
        UnknownNameError: If there is no such task.

    Complexity:
        Linear in the number of domains.
    """
    return Visitor(context, *make_handlers(task, *instead), occurrences=occurrences)


def make_handlers(task: str, *instead: Handler | type[Handler]) -> list[Handler]:
    """Return a handler for each domain, as :func:`assemble` gives them to a visitor.

    Given as ``instead``, they serve several visitors.
    """
    otherwise = _get_task(task).otherwise
    hooks.load_handlers(task)
    own = [
        given() if isinstance(given, type) and issubclass(given, Handler) else given
        for given in instead
    ]
    served = {made.domain.name for made in own if hasattr(made, "domain")}
    others: list[Handler] = []
    for domain in list_domains():
        if domain.name not in served:
            found = _HANDLERS.get((task, domain.name))
            made = otherwise(domain.name) if found is None else found()
            if found is None:
                made.task = task
            others.append(made)
    return [*own, *others]


def register_filler(task: str, family: type[Node], fill: Fill) -> None:
    """Say how handlers of a task are entered in the table that a language keeps for it.

    Args:
        task: The name of the task.
        family: The kinds that the table is about.
        fill: ``fill(kind, handler, method)``: enters, for a kind of some domain, the method that
            its class of handlers has for it.
    """
    known = [each for each in _FILLERS.get(task, ()) if each.family is not family]
    made = _Filler(family, fill)
    _FILLERS[task] = (*known, made)
    for (name, _), handler in list(_HANDLERS.items()):
        if name == task and handler not in _VIEWS:
            _fill(made, handler)


def _fill(filler: _Filler, handler: type[Handler]) -> None:
    for kind, method in _methods_of(handler):
        if issubclass(kind, filler.family):
            filler.fill(kind, handler, method)


def _methods_of(handler: type[Handler]) -> Iterator[tuple[type[Node], str]]:
    """Yield the kinds of its domain that a class of handlers has methods for, and their names."""
    domain = get_domain(str(handler._served))  # noqa: SLF001 - as above
    kinds = [kind for kind in Node.kinds if kind.domain_ == domain.name]
    for kind in sorted(kinds, key=lambda kind: domain.kinds[kind.operator_].number):
        method = find_method(handler, kind)
        if method is not None:
            yield kind, method


register_task("verify", DefaultHandler)
register_task("simplify", DefaultHandler)
register_task("evaluate", InvalidHandler)
register_task("lower", DefaultHandler)
register_task("lower_to_loops")
register_task("c")
register_task("loops")
