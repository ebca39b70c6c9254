"""The tables of a visitor: what is called for each operator, and how default walks go on.

They are flat: one look finds the entry of a kind of node, two that of an operator which nodes of a
kind call. Entries are made when an operator is first met, so operators declared later are found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any, Final, NamedTuple

from relayish.domain.dispatch import Dispatch, Handle
from relayish.domain.handler import (
    PREFIX,
    BlockInvalidHandler,
    BlockNullHandler,
    DefaultHandler,
    Handler,
    NullHandler,
    name_of_kind,
    spell,
)
from relayish.domain.looks import looking, looks_around
from relayish.errors import DispatchError, indefinite
from relayish.functor.vtable import is_default
from relayish.ir.domains.domain import get_domain
from relayish.ir.domains.property import child_fields
from relayish.ir.fields.field import Field
from relayish.ir.kinds.opcode import operator_field_of
from relayish.ir.nodes.getters import NodesGetter, compile_getter
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind, Push, PushAll, Traversal
from relayish.ir.scopes.blocks import is_block

CALLED: Final = "called"
"""Stands for the way on from nodes that are handled by a method, not by the loop of a context."""


class ByOperator(NamedTuple):
    """The entries of a kind whose nodes call operators.

    Attributes:
        callee: What a node calls.
        entries: The entry for each operator, and for what is no operator.
    """

    callee: Callable[[Any], Any]  # Any: a node of the kind; what it calls, or None
    entries: Mapping[Any, Any]  # Any: as the table it stands in


class _Entries(dict[Any, Any]):  # Any: as above
    """The entries of one kind by what its nodes call, made when it is met."""

    def __init__(self, make: Callable[[Any], object]) -> None:  # Any: what is called
        super().__init__()
        self._make = make

    def __missing__(self, callee: object) -> object:
        made = self[callee] = self._make(callee)
        return made


class _Children(Traversal):
    """Follows the children of nodes; of those that call an operator, not the name of it."""

    def __init__(self, *, calling: bool) -> None:
        super().__init__(Node)
        self._calling = calling

    def fields(self, kind: type[Node]) -> list[Field]:
        found = list(child_fields(kind))
        calls = operator_field_of(kind)
        if calls is None or not self._calling:
            return found
        return [f for f in found if f.name != calls.field]


CHILDREN: Final = _Children(calling=False)
"""The children of nodes that are the operator that their kind is."""

_OPERANDS: Final = _Children(calling=True)
"""The children of nodes that call an operator."""


class Steps:
    """What a visitor calls for each operator, and how the loop of its context goes on from one.

    Attributes:
        context: The context of the visitor.
        of_kind: By kind of node, what is called; :class:`ByOperator` where nodes call operators.
        of_statement: The same for a statement that a block has at hand.
        is_block: By kind, whether nodes are blocks, or begin one.
        is_called: By kind, whether a context that transforms rebuilds nodes one by one.
        push: How an analysis puts the children of a node on its stack; ``None`` where it has none,
            ``CALLED`` where a method is called, ``ByOperator`` as above.
        push_new: The same for a transformation, which leaves out children it has seen.
        children: What gives the children, whatever handles the node.
        fields: The fields that hold children.
    """

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        context: Any,  # Any: see Dispatch
        notices: bool = False,
    ) -> None:
        self._handlers = handlers
        self._notices = notices
        self.context = context
        self._loops = is_default(type(context).handle_node)
        self._blocks_loop = self._loops and is_default(type(context).handle_block)
        self.of_kind: Final = self._table(self._step)
        self.of_statement: Final = self._table(self._completed)
        self.push: Final = self._table(self._push)
        self.push_new: Final = self._table(self._push_new)
        self.children: Final = self._table(_children)
        self.fields: Final = self._table(_fields_of_children)
        self.is_block: Final = ByKind(is_block)
        self.is_called: Final = ByKind(context._is_called)  # noqa: SLF001 - its tables

    def _table(self, make: Callable[[type[Node], object], object]) -> ByKind:
        """Return the table of what ``make`` gives for a kind, and for what its nodes call."""

        def entry(kind: type[Node]) -> object:
            if not issubclass(kind, Node):
                raise DispatchError(
                    f"a Visitor got {indefinite(kind)}; expected a node; visit items one by one"
                )
            calls = operator_field_of(kind)
            if calls is None:
                return make(kind, None)
            return ByOperator(calls.callee, _Entries(lambda callee: make(kind, callee)))

        return ByKind(entry)

    def _handle(self, kind: type[Node], callee: object) -> Handle:
        """Return what handles nodes of ``kind``; those that call ``callee``, if that is given."""
        if callee is None:
            domain, names = kind.domain_, _names_of_kind(kind)
        else:
            calls = operator_field_of(kind)
            assert calls is not None
            domain, name = calls.named(callee)
            names = (name,)
        handler = self._handlers.get(domain)
        if handler is None:
            return _unknown_domain
        method = handler.find(names)
        made_by = method.__func__ if isinstance(method, MethodType) else None
        if made_by in _BLOCK_ONLY and is_block(kind):
            return _default_block
        if made_by is DefaultHandler.any_operator:
            return _default_block if is_block(kind) else _default_node
        if made_by in _NOTHING:
            return keep
        return looking(method) if self._notices and looks_around(method) else method

    def _step(self, kind: type[Node], callee: object) -> Handle:
        completed = self._completed(kind, callee)
        found: Handle = self.context._step_for(kind, completed)  # noqa: SLF001 - as above
        return found

    def _completed(self, kind: type[Node], callee: object) -> Handle:
        step = self._handle(kind, callee)
        if step in (_default_node, _default_block, keep):
            return step
        completed: Handle = self.context._complete(step)  # noqa: SLF001 - as above
        return completed

    def _goes_on(self, kind: type[Node], callee: object) -> bool:
        """Return whether the loop of the context goes on from such nodes and calls nothing."""
        if self.is_called[kind]:
            return False
        step = self._handle(kind, callee)
        if step is _default_node:
            return self._loops
        return step is _default_block and self._blocks_loop

    def _push(self, kind: type[Node], callee: object) -> PushAll | str | None:
        if not self._goes_on(kind, callee):
            return CALLED
        return (CHILDREN if callee is None else _OPERANDS).push_all[kind]

    def _push_new(self, kind: type[Node], callee: object) -> Push | str | None:
        if not self._goes_on(kind, callee):
            return CALLED
        return (CHILDREN if callee is None else _OPERANDS).push[kind]


def _children(kind: type[Node], callee: object) -> NodesGetter:
    return compile_getter(_fields_of_children(kind, callee))


def _fields_of_children(kind: type[Node], callee: object) -> list[Field]:
    return (CHILDREN if callee is None else _OPERANDS).fields(kind)


_NOTHING: Final = (NullHandler.any_operator, BlockNullHandler.any_operator)
_BLOCK_ONLY: Final = (BlockNullHandler.any_operator, BlockInvalidHandler.any_operator)


def _names_of_kind(kind: type[Node]) -> tuple[str, ...]:
    """Return what handlers of a kind may be called, the kind itself first, then its families."""
    named = name_of_kind(get_domain(kind.domain_), kind.operator_)
    families = [
        str(base.__dict__["visit_name"])
        for base in kind.__mro__[1:]
        if base is not Node and "visit_name" in base.__dict__
    ]
    return (named, *families)


def find_method(handler: type[Handler], kind: type[Node]) -> str | None:
    """Return the name of the method that a class of handlers has for a kind, or a family of it."""
    found = (PREFIX + spell(name) for name in _names_of_kind(kind))
    return next((name for name in found if hasattr(handler, name)), None)


def _default_node(visitor: Dispatch, node: Node) -> Any:  # Any: results of all sorts
    return visitor.steps.context.handle_node(visitor, node)


def _default_block(visitor: Dispatch, node: Node) -> Any:  # Any: as above
    return visitor.steps.context.handle_block(visitor, node)


def keep(visitor: Dispatch, node: Node) -> Any:  # Any: as above
    """Leave ``node``, and what is below it."""
    return visitor.steps.context.keep(node)


def _unknown_domain(visitor: Dispatch, node: Node) -> Any:  # Any: as above
    return visitor.steps.context.handle_unknown_domain(visitor, node)
