"""The context of a transformation: new programs of old ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from relayish.domain.analyze_ctx import entry_of, note_failure
from relayish.domain.dispatch import Dispatch, Handle
from relayish.domain.frame import Frame
from relayish.domain.removed import REMOVED
from relayish.domain.statement_ctx import StatementCtx
from relayish.domain.steps import CALLED, CHILDREN, ByOperator, keep
from relayish.errors import DispatchError
from relayish.functor.misfits import family_of
from relayish.functor.vtable import default_handler
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.roles import Role
from relayish.ir.kinds.one_line import describe, one_line, show_found
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.blocks import (
    block_kind,
    holding_field,
    is_statement_of,
    make_block,
    may_be_statement,
    rest_field,
    statements_field,
)
from relayish.ir.scopes.renaming import rename_bound

N = TypeVar("N", bound=Node)


class TransformCtx(StatementCtx):
    """The context of a visit that makes a new program: nodes rebuilt, statements put into blocks.

    By default a node is rebuilt with the images of its children: the same object where nothing
    below it changed. Programs never change, so what did not change is shared by the new one.

    A handler of a statement returns what takes its place: a node, a list of statements, or
    ``REMOVED``; while it runs, :meth:`prepend` and :meth:`append` put others before and after it.
    A block is what a node lists in ``field(block=True)``, and in Relay a chain of lets. What comes
    after a let that a handler returns is what came after the old one.

    Where one object stands in several places it is handled once, unless handling it put statements
    into a block: then it is handled in each place.

    Source:
        AIR ``TRANSFORM_CTX``, where one queue of appended statements serves all blocks.
    """

    def clone(self, node: N) -> N:
        """Return a copy of ``node`` that binds variables of its own, as a second place needs.

        Complexity:
            Linear in the number of distinct nodes; no recursion.
        """
        return rename_bound(node)

    @default_handler
    def handle_node(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        """Return ``node`` rebuilt with the images of its children; itself where none changed.

        Complexity:
            Nodes of a graph that no method handles use no Python stack.
        """
        steps, kind = visitor.steps, type(node)
        if visitor.occurrences or steps.is_called[kind]:
            return self._rebuild(visitor, node)
        push = entry_of(steps.push_new, node)
        if push is None:
            return node
        if push is not CALLED:
            return self._rebuild_graph(visitor, node, push)
        memo = visitor.memo_map
        for child in entry_of(steps.children, node)(node):
            if child not in memo:
                memo[child] = self._image_of(child, visitor.visit(child))
        image: Node = _REBUILD[kind](node, memo.get)
        return image

    def _rebuild_graph(self, visitor: Dispatch, root: Node, push: Any) -> Node:
        """Return the image of ``root``, a node of a graph, in a loop over what is below it."""
        # Any: an entry of the table
        steps, memo, parents = visitor.steps.push_new, visitor.memo_map, self._parents
        base = len(parents)
        get = memo.get
        stack: list[Node | None] = []
        pop, append, enter = stack.pop, stack.append, parents.append
        leave = parents.pop
        try:
            push(root, memo, append)
            while stack:
                node = pop()
                if node is None:
                    node = pop()
                    assert node is not None
                    memo[node] = _REBUILD[type(node)](node, get)
                    leave()
                    continue
                if node in memo:
                    continue
                push = steps[type(node)]
                if push.__class__ is ByOperator:
                    push = push.entries[push.callee(node)]
                if push is None:
                    memo[node] = node
                elif push is CALLED:
                    memo[node] = self._image_of(node, visitor.visit(node))
                else:
                    enter(node)
                    append(node)
                    append(None)
                    push(node, memo, append)
        except Exception as error:
            note_failure(error, parents)
            raise
        finally:
            del parents[base:]
        image: Node = _REBUILD[type(root)](root, get)
        return image

    def _rebuild(self, visitor: Dispatch, node: Node, but: str | None = None) -> Node:
        """Return the image of ``node``: each child is visited in order, but those in a field."""
        changes: dict[str, object] = {}
        visit = visitor.visit
        for declared in entry_of(visitor.steps.fields, node):
            name = declared.name
            held = getattr(node, name)
            if declared.block:
                changes[name] = self._image_of_list(visitor, declared, held)
            elif declared.shape is Shape.ONE:
                if name != but:
                    image = visit(held)
                    if image is not held:
                        changes[name] = self._image_of(held, image)
            elif declared.shape is Shape.OPTIONAL:
                if held is not None:
                    changes[name] = self._image_of(held, visit(held))
            else:
                changes[name] = tuple(
                    [self._image_of(c, visit(c)) if isinstance(c, Node) else c for c in held]
                )
        return node.with_fields(**changes) if changes else node

    def _image_of(self, node: Node, image: Any) -> Node:  # Any: what a handler returned
        """Return ``image`` as what stands for ``node``, which is no statement of a block.

        Raises:
            DispatchError: If it cannot stand there.
        """
        if type(image) in _IMAGES[type(node)]:
            made: Node = image
            return made
        if image is REMOVED or isinstance(image, list):
            raise DispatchError(
                f"{one_line(node)} is replaced by {show_found(image)}, but it is no statement: it "
                f"stands in a graph, or is an operand, where one node takes its place; bring the "
                f"program into blocks first, Relay's by ToANormalForm"
            )
        raise DispatchError(
            f"a handler returned {show_found(image)} for {one_line(node)}; expected a node that "
            f"can stand for {describe(node)}, the node itself where nothing changes"
        )

    @default_handler
    def handle_block(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        """Return the block ``node`` with its statements visited, and others put among them.

        Of a chain that is being visited, ``node`` is one statement: what it holds but the rest.
        """
        rest = rest_field(type(node))
        if rest is None:
            return self._rebuild(visitor, node)
        if not self._accepts_statements(node):
            return self._chain(visitor, node, rest)
        frame = self._frames[-1]
        awaited, frame.awaited = frame.awaited, None
        try:
            return self._rebuild(visitor, node, but=rest)
        finally:
            frame.awaited = awaited

    def _image_of_list(
        self, visitor: Dispatch, declared: Field, statements: Sequence[Node]
    ) -> tuple[Node, ...]:
        """Return the new statements for those that a field of a block lists."""
        assert declared.kind is not None
        before, depth = self._emitted, len(self._parents)
        frame = Frame(declared.kind.kinds, None, depth)
        self._frames.append(frame)
        try:
            for statement in statements:
                frame.begin(statement, depth)
                frame.end(self._checked(frame, statement, visitor.visit(statement)))
        finally:
            self._frames.pop()
            self._emitted = before
        return tuple(frame.new)

    def _chain(self, visitor: Dispatch, head: Node, rest: str) -> Node:
        """Return the image of a chain of statements that begins with ``head``."""
        kind, memo, parents = type(head), visitor.memo_map, self._parents
        step = visitor.steps.of_statement[kind]
        before, depth = self._emitted, len(parents) - 1
        frame = Frame({kind}, 1, depth)
        begun: list[tuple[Node, int]] = []
        self._frames.append(frame)
        statement = head
        try:
            while True:
                following: Node = getattr(statement, rest)
                begun.append((statement, len(frame.new)))
                frame.begin(statement, depth)
                frame.awaited = following if _holds_once(statement, following) else None
                parents[depth] = statement
                image = step(visitor, statement)
                if image is not statement:
                    image = self._checked(frame, statement, image)
                    _check_rest(statement, image, rest, memo)
                frame.end(image)
                if type(following) is not kind or following in memo:
                    break
                statement = following
            frame.reach, frame.awaited = 0, None
            frame.begin(following, depth + 1)
            image = self._image_of(following, visitor.visit(following))
        except Exception as error:
            note_failure(error, parents)
            raise
        finally:
            self._frames.pop()
            self._emitted = before
            parents[depth] = head
            for taken in frame.taken:
                memo.pop(taken, None)
        frame.new += frame.last
        end = len(frame.new)
        for statement, start in reversed(begun):
            for new in reversed(frame.new[start:end]):
                image = new.with_fields(**{rest: image})
            end = start
            memo[statement] = image
        return image

    def _leave_out(self, visitor: Dispatch, node: Node, image: Any) -> None:  # Any: as the base
        """Keep ``image`` for the block if a handler visited ``node``, its rest, by hand."""
        frame = self._frames[-1] if self._frames else None
        if frame is None or frame.awaited is not node or len(self._parents) != frame.depth + 1:
            return
        dict.__setitem__(visitor.memo_map, node, image)
        frame.taken.append(node)

    def _checked(self, frame: Frame, statement: Node, image: Any) -> Any:
        """Return ``image``, what a handler returned, as what takes the place of ``statement``."""
        # Any: what a handler returned
        if image is REMOVED:
            return image
        for each in image if isinstance(image, list) else [image]:
            if type(each) not in frame.kinds:
                raise DispatchError(
                    f"a handler returned {show_found(each)} for the statement "
                    f"{one_line(statement)}; expected a statement such as that one, a list "
                    f"of them, or REMOVED; the statement itself where nothing changes"
                )
        return image

    def _take(self, node: Node, image: Any) -> Any:  # Any: as the base
        """Return what visiting ``node`` returns, where its handler returned a list or ``REMOVED``.

        Raises:
            DispatchError: If it is no statement of a block.
        """
        if not self._accepts_statements(node):
            return self._image_of(node, image)
        self._emitted += 1  # where the node stands in another place, one node may be wanted
        return image

    def _accepts_statements(self, node: Node) -> bool:
        """Return whether ``node``, the innermost of the parents, is a statement of a block."""
        if not self._frames:
            return False
        frame = self._frames[-1]
        return frame.statement is node and frame.depth == len(self._parents) - 1

    def _handle_alone(self, visitor: Dispatch, node: Node, step: Handle) -> Any:
        """Return what ``step`` makes of ``node``: where that is a statement, a block if need be."""
        # Any: results of all sorts
        parents = self._parents
        if not is_statement_of(parents[-2] if len(parents) > 1 else None, node):
            return step(visitor, node)
        depth, before = len(parents) - 1, self._emitted
        frame = Frame(_KINDS_IN_BLOCKS[type(node)], None, depth)
        frame.begin(node, depth)
        self._frames.append(frame)
        try:
            frame.end(self._checked(frame, node, step(visitor, node)))
        finally:
            self._frames.pop()
            self._emitted = before
        if len(frame.new) != 1:
            self._emitted += 1  # in a block that it stands in, it needs none of its own
        return make_block(node, frame.new)

    def _step_for(self, kind: type[Node], step: Handle) -> Handle:
        """Return what is called for nodes of ``kind`` in place of ``step``: blocks are kept."""
        if step is keep:
            return step
        if rest_field(kind) is not None:
            return _run_chain
        if (
            statements_field(kind) is None
            and may_be_statement(kind)
            and block_kind(kind) is not None
        ):
            return _alone(step)
        return step

    def _is_called(self, kind: type[Node]) -> bool:
        """Return whether nodes of ``kind`` are no nodes of a graph: blocks, and all of a tree."""
        tree = kind.language_.is_tree and CHILDREN.push[kind] is not None
        return tree or rest_field(kind) is not None or statements_field(kind) is not None

    def keep(self, node: Node) -> Any:  # Any: as the base
        """Return ``node``, which stays as it is."""
        return node


def _run_chain(visitor: Dispatch, node: Node) -> Any:  # Any: results of all sorts
    return visitor.context.handle_block(visitor, node)


def _alone(step: Handle) -> Handle:
    """Return what handles a statement, as a block of its own where it stands in none."""

    def run(visitor: Dispatch, node: Node) -> Any:  # Any: results of all sorts
        context = visitor.context
        if context._accepts_statements(node):  # noqa: SLF001 - a context of this file
            return step(visitor, node)
        return context._handle_alone(visitor, node, step)  # noqa: SLF001 - as above

    return run


def _check_rest(statement: Node, image: Any, rest: str, memo: Any) -> None:  # Any: as handlers
    """Refuse a statement that a handler returned with something else after it."""
    if image is REMOVED or isinstance(image, list):
        return
    following = getattr(statement, rest)
    found = getattr(image, rest)
    if found is not following and found is not memo.get(following):
        raise DispatchError(
            f"a handler returned {one_line(image)} for {one_line(statement)} with another "
            f"{rest}; what comes after a statement is visited by the context: leave {rest} as "
            f"it is, return REMOVED or a list, or visit what is to go by its own handlers"
        )


def _holds_once(statement: Node, following: Node) -> bool:
    """Return whether ``following`` is nothing else to ``statement`` than what comes after it."""
    return holding_field(statement, following, Role.OPERAND) is None


def _kinds_in_blocks(kind: type[Node]) -> object:
    made = block_kind(kind)
    assert made is not None
    return next(f.kind.kinds for f in made.fields_ if f.block and f.kind is not None)


_KINDS_IN_BLOCKS: Final = ByKind(_kinds_in_blocks)
"""By the kind of a statement, the kinds that may stand in a block beside it."""


_IMAGES: Final = ByKind(lambda kind: family_of(kind).kinds)
"""The kinds that may take the place of one: all of its family."""

_REBUILD: Final = ByKind(CHILDREN.rebuild.__getitem__)
"""How a node of a graph is rebuilt with the images of its children."""
