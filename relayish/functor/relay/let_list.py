"""Let chains as loops: walking one, and building one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from relayish.errors import FieldError, RelayishError
from relayish.functor.at_work import functor_at_work, within_a_visit
from relayish.functor.functor import Functor
from relayish.ir.relay.expr import Expr, Let, Var
from relayish.ir.relay.type import Type

_EXPANDING: Final = "_expanding"
"""Where a functor keeps what ``post_visit`` returned, by let, of chains that are being expanded."""


class LetListError(RelayishError, RuntimeError):
    """A let list was used in a way that would lose or repeat bindings."""


def expand_a_normal_form(
    let: Let, pre_visit: Callable[[Let], object], post_visit: Callable[[Let], object]
) -> None:
    """Call ``pre_visit`` on each let of a chain downwards, then ``post_visit`` on each upwards.

    ``pre_visit`` is where values are visited; ``post_visit`` is where the body of its let, visited
    by then unless it is the tail, is looked up. What takes the place of its let it returns, or puts
    into the memo. In the handler of a functor, whichever that is, books are kept: a let of the
    chain is expanded once, whether or not ``post_visit`` marks it as visited.

    Args:
        let: The outermost let. The chain goes on while the body of a let is a let, up to one that
            the functor has visited before.
        pre_visit: Called outermost first.
        post_visit: Called innermost first.

    Raises:
        FieldError: If ``let`` is no let.

    Complexity:
        Linear in the length of the chain; no recursion.

    Source:
        Relay and RAF ``ExpandANormalForm``.
    """
    if type(let) is not Let:
        raise FieldError(f"a chain of lets begins with a let; found {let!r}")
    functor = functor_at_work()
    if functor is None:
        _expand(None, let, pre_visit, post_visit)
    else:
        within_a_visit(functor, _expand, let, pre_visit, post_visit)


def _expand(
    functor: Functor[Any, Any] | None,
    let: Let,
    pre_visit: Callable[[Let], object],
    post_visit: Callable[[Let], object],
) -> None:  # Any: any functor
    """Expand a chain in a handler of ``functor``, or in no functor."""
    images: dict[Let, object] = {} if functor is None else vars(functor).setdefault(_EXPANDING, {})
    if let in images:  # the post_visit of the let around this one visits the body
        _keep(functor, let, images[let])
        return
    chain = [let]
    pre_visit(let)
    expr: Expr = let.body
    while type(expr) is Let and not _is_known(functor, expr):
        pre_visit(expr)
        chain.append(expr)
        expr = expr.body
    try:
        for binding in reversed(chain):
            images[binding] = post_visit(binding)
        _keep(functor, let, images[let])
    finally:
        for binding in chain:
            images.pop(binding, None)


def _is_known(functor: Functor[Any, Any] | None, let: Let) -> bool:  # Any: any functor
    """Return whether ``functor`` has visited ``let``."""
    if functor is None:
        return False
    if functor.visit_counter is None:
        return let in functor.memo_map
    return functor.visit_counter.get(let, 0) > 0


def _keep(functor: Functor[Any, Any] | None, let: Let, image: object) -> None:  # Any: as above
    """Put into the memo what ``post_visit`` returned, unless it did so itself."""
    if functor is not None and functor.visit_counter is None and image is not None:
        functor.memo_map.setdefault(let, image)


class LetList:
    """Collects bindings in order and wraps an expression in them.

    Fresh variables are called ``x_0``, ``x_1``, … unless a prefix is given.

    Complexity:
        Constant for each binding; nothing is checked that would make a chain quadratic.

    Source:
        Relay ``LetList``.

    Example:
        >>> bindings = LetList()
        >>> x = bindings.push(Tuple(()))
        >>> let = bindings.get(x)
        >>> let.var is x
        True
    """

    def __init__(self, prefix: str = "x") -> None:
        self._prefix = prefix
        self._bindings: list[tuple[Var, Expr]] = []
        self._used = False

    def push(self, *binding: Expr | Type | None) -> Var:
        """Bind an expression and return its variable.

        Call it as ``push(expr)``, ``push(expr, type)`` or ``push(var, expr)``.

        Raises:
            LetListError: If :meth:`get` was called before.
        """
        if self._used:
            raise LetListError("this let list was used up by get(); start a new LetList")
        var, value = self._read(binding)
        self._bindings.append((var, value))
        return var

    def _read(self, binding: tuple[Expr | Type | None, ...]) -> tuple[Var, Expr]:
        match binding:
            case (Var() as var, Expr() as value):
                return var, value
            case (Expr() as value,) | (Expr() as value, None):
                return Var(f"{self._prefix}_{len(self._bindings)}"), value
            case (Expr() as value, Type() as ty):
                return Var(f"{self._prefix}_{len(self._bindings)}", ty), value
            case _:
                raise LetListError(
                    f"push takes (expr), (expr, type) or (var, expr); found {binding!r}"
                )

    def get(self, body: Expr) -> Expr:
        """Return ``body`` within all the bindings, the first outermost; may be called once.

        Raises:
            LetListError: On a second call: the bindings would stand twice.
        """
        if self._used:
            raise LetListError("get() was called before; bindings must not stand in two places")
        self._used = True
        for var, value in reversed(self._bindings):
            body = Let(var, value, body)
        return body

    def __len__(self) -> int:
        return len(self._bindings)

    @staticmethod
    def with_(build: Callable[[LetList], Expr]) -> Expr:
        """Return what ``build`` makes of a new let list, within the bindings it pushed."""
        bindings = LetList()
        return bindings.get(build(bindings))

    @staticmethod
    def let_bind(expr: Expr, use: Callable[[Var], Expr]) -> Expr:
        """Return ``let x = expr; use(x)`` for a fresh ``x``."""
        return LetList.with_(lambda bindings: use(bindings.push(expr)))
