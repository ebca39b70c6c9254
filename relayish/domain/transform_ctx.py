"""The context of a transformation: new programs of old ones, and statements put into blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn, Self

from relayish.domain.analyze_ctx import AnalyzeCtx, note_failure, push_of
from relayish.domain.dispatch import Dispatch, Handle
from relayish.domain.removed import REMOVED
from relayish.domain.steps import CALLED, CHILDREN, ByOperator, fields_of_children
from relayish.errors import DispatchError
from relayish.functor.vtable import default_handler
from relayish.ir.blocks import (
    block_kind,
    chained,
    is_statement_of,
    listing,
    make_block,
    may_be_statement,
)
from relayish.ir.field import Field, Shape
from relayish.ir.node import Node
from relayish.ir.one_line import describe, one_line, show_found
from relayish.ir.roles import Role
from relayish.ir.traversal import ByKind


class _Frame:
    """A statement being processed: what its block holds so far, and what comes after it."""

    __slots__ = ("after", "depth", "new", "reach", "statement")

    def __init__(self, reach: int | None) -> None:
        self.new: list[Node] = []  # the statements of the new block
        self.after: list[Node] = []  # what was appended, to come after the statement
        self.statement: Node | None = None
        self.depth = 0  # where the statement stands among the parents
        self.reach = reach  # how far below it one may prepend; None: anywhere that is run once

    def begin(self, statement: Node, depth: int) -> None:
        """Go on to the next statement."""
        self.statement, self.depth = statement, depth

    def end(self, image: object) -> None:
        """Put the image of the statement into the block, and what was appended behind it."""
        if isinstance(image, list):
            self.new += image
        elif image is not REMOVED:
            self.new.append(image)  # type: ignore[arg-type]
        if self.after:
            self.new += self.after
            self.after = []


class TransformCtx(AnalyzeCtx):
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

    _frames: list[_Frame]

    def __new__(cls, *args: object, **options: object) -> Self:
        self = super().__new__(cls, *args, **options)
        self._frames = []
        return self

    def prepend(self, statements: Node | Sequence[Node]) -> None:
        """Put statements before the one that is being processed, behind those put there before.

        Args:
            statements: A statement of the language of the block, or several in order. Of a let,
                what it holds as its body does not matter.

        Raises:
            DispatchError: If no statement is being processed, or the node being handled is an
                operand in a graph, or is not run once whenever the statement is.
        """
        self._place("prepend", statements).new.extend(_as_list(statements))
        self.emitted += 1

    def append(self, statements: Node | Sequence[Node]) -> None:
        """Put statements after the one that is being processed, behind those put there before.

        Args:
            statements: As for :meth:`prepend`.

        Raises:
            DispatchError: As :meth:`prepend`; and where what is processed is the value of a block,
                which comes last.
        """
        frame = self._place("append", statements)
        if frame.reach == 0 and frame.statement is not None:
            raise DispatchError(
                f"append: {one_line(frame.statement)} is the value of its block, after which "
                f"nothing comes; prepend instead, or bind it to a variable: ToANormalForm does"
            )
        frame.after.extend(_as_list(statements))
        self.emitted += 1

    def _place(self, what: str, statements: object) -> _Frame:
        """Return the frame of the statement that ``what`` puts ``statements`` around."""
        given = _as_list(statements)
        if not isinstance(given, (list, tuple)) or not all(isinstance(s, Node) for s in given):
            raise DispatchError(f"{what} is given {show_found(statements)}; expected statements")
        if not self._frames:
            self._refuse_place(what)
        frame: _Frame = self._frames[-1]
        below = len(self._parents) - 1 - frame.depth
        if frame.reach is not None and below > frame.reach:
            self._refuse_place(what)
        for position in range(frame.depth, len(self._parents) - 1):
            parent, child = self._parents[position], self._parents[position + 1]
            if _scope_field(parent, child) is not None and frame.reach is None:
                raise DispatchError(
                    f"{what}: {one_line(self._parents[-1])} is evaluated in a scope of "
                    f"{describe(parent)}, not once with it, so nothing can be put around that "
                    f"statement for it"
                )
        return frame

    def _refuse_place(self, what: str) -> NoReturn:
        node = self._parents[-1] if self._parents else None
        shown = "nothing is being visited" if node is None else f"{one_line(node)} is no statement"
        raise DispatchError(
            f"{what}: {shown}: it stands in a graph, or is an operand, which have no order; bring "
            f"the program into blocks first, Relay's by ToANormalForm"
        )

    @default_handler
    def handle_node(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        """Return ``node`` rebuilt with the images of its children; itself where none changed.

        Complexity:
            Nodes of a graph that no method handles use no Python stack.
        """
        if visitor.occurrences or push_of(visitor.steps.push_new, node) is CALLED:
            return self._rebuild(visitor, node)
        return self._rebuild_graph(visitor, node)

    def _rebuild_graph(self, visitor: Dispatch, root: Node) -> Node:
        """Return the image of ``root``, a node of a graph, in a loop over what is below it."""
        steps, memo, parents = visitor.steps.push_new, visitor.memo_map, self._parents
        base = len(parents)
        get = memo.get
        stack: list[Node | None] = []
        pop, append, enter = stack.pop, stack.append, parents.append
        leave = parents.pop
        push = push_of(steps, root)
        if push is None:
            return root
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
                    memo[node] = self.image_of(node, visitor.visit(node))
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
        for declared in fields_of_children(node):
            if declared.name == but:
                continue
            held = getattr(node, declared.name)
            image = self._image_of_field(visitor, declared, held)
            if image is not held:
                changes[declared.name] = image
        return node.with_fields(**changes) if changes else node

    def _image_of_field(self, visitor: Dispatch, declared: Field, held: Any) -> Any:  # Any: a field
        if declared.block:
            return self._image_of_list(visitor, held if declared.holds_many else (held,))
        if declared.shape is Shape.ONE:
            return self.image_of(held, visitor.visit(held))
        if not held:
            return held
        if declared.shape is Shape.OPTIONAL:
            return self.image_of(held, visitor.visit(held))
        images = [
            self.image_of(child, visitor.visit(child)) if isinstance(child, Node) else child
            for child in held
        ]
        same = all(image is child for image, child in zip(images, held, strict=True))
        return held if same else tuple(images)

    def image_of(self, node: Node, image: Any) -> Node:  # Any: what a handler returned
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
        rest = chained(type(node))
        if rest is None or self.accepts_statements(node):
            return self._rebuild(visitor, node, but=rest)
        return self._chain(visitor, node, rest)

    def _image_of_list(self, visitor: Dispatch, statements: Sequence[Node]) -> tuple[Node, ...]:
        """Return the new statements for those that a block lists."""
        frame, before, depth = _Frame(None), self.emitted, len(self._parents)
        self._frames.append(frame)
        try:
            for statement in statements:
                frame.begin(statement, depth)
                frame.end(self._checked(statement, visitor.visit(statement)))
        finally:
            self._frames.pop()
            self.emitted = before
        return tuple(frame.new)

    def _chain(self, visitor: Dispatch, head: Node, rest: str) -> Node:
        """Return the image of a chain of statements that begins with ``head``."""
        kind, memo, parents = type(head), visitor.memo_map, self._parents
        step = visitor.steps.of_statement[kind]
        frame, before, depth = _Frame(1), self.emitted, len(parents) - 1
        begun: list[tuple[Node, int]] = []
        self._frames.append(frame)
        statement = head
        try:
            while True:
                begun.append((statement, len(frame.new)))
                frame.begin(statement, depth)
                parents[depth] = statement
                image = step(visitor, statement)
                if image is not statement:
                    image = self._checked(statement, image)
                    self._check_rest(statement, image, rest, memo)
                frame.end(image)
                following: Node = getattr(statement, rest)
                if type(following) is not kind or following in memo:
                    break
                statement = following
            frame.reach = 0
            frame.begin(following, depth + 1)
            image = self.image_of(following, visitor.visit(following))
        except Exception as error:
            note_failure(error, parents)
            raise
        finally:
            self._frames.pop()
            self.emitted = before
            parents[depth] = head
        end = len(frame.new)
        for statement, start in reversed(begun):
            for new in reversed(frame.new[start:end]):
                image = new.with_fields(**{rest: image})
            end = start
            memo[statement] = image
        return image

    def _check_rest(self, statement: Node, image: Any, rest: str, memo: Any) -> None:
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

    def _checked(self, statement: Node, image: Any) -> Any:  # Any: what a handler returned
        """Return ``image`` as what takes the place of ``statement`` in its block."""
        if image is REMOVED:
            return image
        images = image if isinstance(image, list) else [image]
        kinds = _IMAGES[type(statement)] if chained(type(statement)) is None else {type(statement)}
        for each in images:
            if type(each) not in kinds:
                raise DispatchError(
                    f"a handler returned {show_found(each)} for the statement "
                    f"{one_line(statement)}; expected a statement such as that one, a list of "
                    f"them, or REMOVED; the statement itself where nothing changes"
                )
        return image

    def take(self, node: Node, image: Any) -> Any:  # Any: as the base
        """Return what visiting ``node`` returns, where its handler returned a list or ``REMOVED``.

        Raises:
            DispatchError: If it is no statement of a block.
        """
        return image if self.accepts_statements(node) else self.image_of(node, image)

    def accepts_statements(self, node: Node) -> bool:
        """Return whether ``node``, the innermost of the parents, is a statement of a block."""
        if not self._frames:
            return False
        frame = self._frames[-1]
        return frame.statement is node and frame.depth == len(self._parents) - 1

    def step_for(self, kind: type[Node], step: Handle) -> Handle:
        """Return what is called for nodes of ``kind`` in place of ``step``: blocks are kept."""
        if chained(kind) is not None:
            return _run_chain
        if listing(kind) is None and may_be_statement(kind) and block_kind(kind) is not None:
            return _alone(step)
        return step

    def is_called(self, kind: type[Node]) -> bool:
        """Return whether nodes of ``kind`` are no nodes of a graph: blocks, and all of a tree."""
        tree = kind.language_.is_tree and CHILDREN.push[kind] is not None
        return tree or chained(kind) is not None or listing(kind) is not None

    def keep(self, node: Node) -> Any:  # Any: as the base
        """Return ``node``, which stays as it is."""
        return node


def _run_chain(visitor: Dispatch, node: Node) -> Any:  # Any: results of all sorts
    return visitor.context.handle_block(visitor, node)


def _alone(step: Handle) -> Handle:
    """Return what handles a statement, as a block of its own where it stands in none."""

    def run(visitor: Dispatch, node: Node) -> Any:  # Any: results of all sorts
        context = visitor.context
        if context.accepts_statements(node):
            return step(visitor, node)
        parents = context._parents  # noqa: SLF001 - the contexts of this file
        above = parents[-2] if len(parents) > 1 else None
        if above is not None and not is_statement_of(above, node):
            return step(visitor, node)
        frame, before = _Frame(None), context.emitted
        frame.begin(node, len(parents) - 1)
        context._frames.append(frame)  # noqa: SLF001
        try:
            frame.end(context._checked(node, step(visitor, node)))  # noqa: SLF001
        finally:
            context._frames.pop()  # noqa: SLF001
            context.emitted = before
        return make_block(node, frame.new)

    return run


def _scope_field(parent: Node, child: Node) -> Field | None:
    """Return the field of ``parent`` in which ``child`` is evaluated in a scope of its own."""
    for declared in type(parent).fields_:
        if declared.role is Role.SCOPE and not declared.block:
            held = getattr(parent, declared.name)
            if held is child or (declared.holds_many and any(c is child for c in held)):
                return declared
    return None


def _as_list(statements: object) -> Any:  # Any: checked by the caller
    return [statements] if isinstance(statements, Node) else statements


def _family_of(kind: type[Node]) -> type[Node]:
    return kind.__mro__[kind.__mro__.index(Node) - 1]


_IMAGES: Final = ByKind(lambda kind: _family_of(kind).kinds)
"""The kinds that may take the place of one: all of its family."""

_REBUILD: Final = ByKind(CHILDREN.rebuild.__getitem__)
