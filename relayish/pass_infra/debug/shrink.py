"""Delta debugging: making a program smaller while something stays true of it.

What is tried, largest part first, as long as anything helps: a definition is dropped; then the
steps that languages register for their definitions. In definitions of other languages a node
becomes one of the nodes it holds, an operand taking the place of variables where it bound some, and
nodes lose some of those they hold in a tuple: statements of a block, say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any, Final, TypeAlias, TypeVar

from relayish.errors import RelayishError, indefinite
from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Role
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.ir.scopes.renaming import replace_nodes
from relayish.ir.scopes.scoping import PROGRAM, operands, scopes
from relayish.pass_infra.base.type_inference import has_type_inference, infer_types
from relayish.pass_infra.composition.check import run_check

MOST_TRIES: Final = 2000
"""How many smaller programs are tried, if the caller does not say."""

KEPT_CHECKS: Final = ("well_formed", "no_free_vars")
"""Checks that hold of smaller programs if they held of the first."""

_M = TypeVar("_M", bound=AnyModule)

Step: TypeAlias = Callable[[Any], Iterator[Any]]  # Any: a module of the class the step is for
"""``step(mod)``: smaller modules, those from which most is gone first."""

SHRINKING: Final[ClaimedTable[type[Node], tuple[Step, ...]]] = ClaimedTable(
    lambda kind: f"what makes {indefinite(kind)} smaller is there already; it", "leave one out"
)
"""By kind of definition, the steps by which it is made smaller, in place of what is done for any.

They are tried where the module is well-typed."""


def shrink(mod: _M, still: Callable[[_M], bool], *, most_tries: int = MOST_TRIES) -> _M:
    """Return a smaller module of which ``still`` is true.

    Args:
        mod: A module of which ``still`` is true.
        still: Asked of modules only that are well-formed, closed and well-typed, as far as ``mod``
            is. What it raises goes on.
        most_tries: How often it is asked at most.

    Returns:
        A module that none of the steps makes smaller; ``mod`` itself if there is no step at all;
        the smallest that was found when ``most_tries`` are used up.

    Complexity:
        Linear in the size of the module for each try; halving sizes of steps, so that a fault of a
        few nodes is found in a number of tries that grows with the logarithm of the size.
    """
    return _Shrinker(mod, still, most_tries).shrink(mod)


class _Shrinker:
    def __init__(self, mod: AnyModule, still: Callable[[Any], bool], most_tries: int) -> None:
        self.still = still
        self.left = most_tries
        self.checks = [name for name in KEPT_CHECKS if _holds(name, mod)]
        self.is_typed = has_type_inference(type(mod)) and _infer(mod) is not None
        known = SHRINKING if self.is_typed else {}  # steps of a language go by types
        others = partial(_find_others, tuple(known))
        self.steps: tuple[Step, ...] = (
            _without_definitions,
            *[step for steps in known.values() for step in steps],
            partial(_replace_by_part, others),
            partial(_without_items, others),
        )

    def shrink(self, mod: _M) -> _M:
        best = mod
        helped = True
        while helped and self.left > 0:
            helped = False
            for step in self.steps:
                found = self._repeat(step, best)
                helped = helped or found is not best
                best = found
        return best

    def _repeat(self, step: Step, mod: _M) -> _M:
        """Take the first program of ``step`` that serves, and go on from there."""
        while True:
            given = infer_types(mod, "is made smaller") if self.is_typed else mod
            smaller = next((found for found in step(given) if self._serves(found)), None)
            if smaller is None:
                return mod
            mod = smaller

    def _serves(self, mod: AnyModule) -> bool:
        if self.left <= 0:
            return False
        self.left -= 1
        if not all(_holds(name, mod) for name in self.checks):
            return False
        if self.is_typed and _infer(mod) is None:  # a try that does not fit the types is no try
            return False
        return self.still(mod)


def _holds(check: str, mod: AnyModule) -> bool:
    try:
        run_check(check, mod)
    except RelayishError:
        return False
    return True


def _infer(mod: _M) -> _M | None:
    try:
        return infer_types(mod, "is made smaller")
    except RelayishError:
        return None


def chunks(count: int) -> Iterator[range]:
    """Yield ranges of positions, the longest first: all, halves, quarters, …, each one."""
    width = count
    while width:
        for start in range(0, count, width):
            yield range(start, min(start + width, count))
        width //= 2


def find_named(mod: AnyModule, definitions: Iterable[Node]) -> set[str]:
    """Return the names that ``definitions`` use, of what modules like ``mod`` define."""
    order = EVERYTHING.post_order(tuple(definitions))
    return {name for node in order if (name := mod.referred_name(node)) is not None}


def _without_definitions(mod: AnyModule) -> Iterator[AnyModule]:
    names = mod.get_global_vars()
    for chunk in chunks(len(names)):
        dropped = {names[index] for index in chunk}
        kept = [func for key, func in mod.functions.items() if key not in dropped]
        gone = {mod.name_of(key) for key in dropped}
        if kept and not gone & find_named(mod, kept):
            yield mod.without_functions(dropped)


_Chosen: TypeAlias = Callable[[AnyModule], list[tuple[Any, Node]]]  # Any: what stands for a name


def _find_others(
    known: tuple[type[Node], ...], mod: AnyModule
) -> list[tuple[Any, Node]]:  # Any: as above
    """Return the definitions that are of none of some kinds."""
    return [(name, func) for name, func in mod.functions.items() if not isinstance(func, known)]


def _replace_by_part(chosen: _Chosen, mod: AnyModule) -> Iterator[AnyModule]:
    """Put a node in place of one that holds it, the largest first."""
    for name, func in chosen(mod):
        for node in reversed(PROGRAM.post_order(func)):
            for part in (*PROGRAM.children(node), *_iterate_freed(node)):
                yield from _replace(mod, name, func, {node: part})


def _iterate_freed(node: Node) -> Iterator[Node]:
    """Yield what scopes of ``node`` evaluate, with an operand in place of what it binds there."""
    for scope in scopes(node):
        for root, operand in product(scope.roots, operands(node) if scope.binders else ()):
            made = _try_make(partial(replace_nodes, root, dict.fromkeys(scope.binders, operand)))
            if made is not None:
                yield made


def _without_items(chosen: _Chosen, mod: AnyModule) -> Iterator[AnyModule]:
    """Leave out nodes that stand in tuples, many at a time first."""
    for name, func in chosen(mod):
        for node in reversed(PROGRAM.post_order(func)):
            for field in node.fields_:
                if _is_dispensable(field):
                    items = getattr(node, field.name)
                    for chunk in chunks(len(items)):
                        kept = items[: chunk.start] + items[chunk.stop :]
                        made = _try_make(partial(node.with_fields, **{field.name: kept}))
                        if made is not None:
                            yield from _replace(mod, name, func, {node: made})


def _is_dispensable(field: Field) -> bool:
    return field.holds_many and field.role in (Role.OPERAND, Role.SCOPE, Role.PART, Role.BINDER)


def _replace(
    mod: AnyModule,
    name: Any,  # Any: what stands for a name
    func: Node,
    images: Mapping[Node, Node],
) -> Iterator[AnyModule]:
    """Yield the module with nodes of a definition replaced, where they may stand there."""
    made = _try_make(partial(replace_nodes, func, images))
    if made is not None and made is not func and type(made) is type(func):
        yield mod.with_function(name, made)


def _try_make(make: Callable[[], Node]) -> Node | None:
    """Return what ``make`` does; ``None`` where a node does not take what it is given."""
    try:
        return make()
    except RelayishError:
        return None
