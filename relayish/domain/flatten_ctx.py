"""The context that gives names to values: selected expressions become temporaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

from relayish.domain.analyze_ctx import entry_of
from relayish.domain.dispatch import Dispatch
from relayish.domain.frame import Frame
from relayish.domain.transform_ctx import TransformCtx
from relayish.errors import DispatchError
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Role, Runs
from relayish.ir.kinds.one_line import one_line
from relayish.ir.kinds.opcode import operator_field_of, operator_of
from relayish.ir.kinds.temporary import make_temporary
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.scopes.blocks import chain_kind, is_statement_of, rest_field
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.scoping import PROGRAM, evaluated, operands, scopes


class _Operand:
    """An operand that was visited: its image, and what was put before the statement meanwhile."""

    __slots__ = ("asked", "effect", "field", "image", "index", "node", "position")

    def __init__(self, node: Node, declared: Field, index: int) -> None:
        self.node, self.field, self.index = node, declared, index
        self.image = node
        self.position = 0  # in the new block, behind what was put there for it
        self.effect = Effect.NONE  # of that
        self.asked = False  # whether it has a name already if it is to have one


class FlattenCtx(TransformCtx):
    """The context of a visit that flattens: selected expressions become temporaries.

    A temporary is computed right before the statement that uses it, Relay's by a let; where a body
    of Relay is no let, it becomes one. What a statement holds right away stays, and so does what is
    evaluated repeatedly, or perhaps not, and what other scopes use as well: a condition of a loop,
    say. Where what is moved may interfere with what is evaluated before it, that becomes a
    temporary too, so that all is evaluated in the order in which it was.

    An expression of a tree that stands in several places of a block is flattened once, if its value
    is the same there: throughout the block where it reads nothing, else in one statement, as long
    as nothing is written meanwhile.

    Args:
        select: Asked of each expression, as visiting it left it, whether it is to have a name.

    Attributes:
        declared: What functions have to declare for temporaries made outside of all of them.

    Raises:
        DispatchError: If what interferes can have no name.

    Complexity:
        Linear in the program and what is made.

    Source:
        AIR ``FLATTEN_CTX``, which evaluates what it moves before all else of the statement.

    Example:
        >>> import relayish as relay
        >>> from relayish.domain import DefaultHandler, Visitor
        >>> x = relay.var("x")
        >>> program = relay.Function([x], relay.add(relay.nn.relu(x), x))
        >>> flatten = FlattenCtx(lambda expr: isinstance(expr, relay.Call))
        >>> made = Visitor(flatten, DefaultHandler("relay"), DefaultHandler("nn")).visit(program)
        >>> print(made)
        fn (%x) {
          let %t1 = nn.relu(%x);
          add(%t1, %x)
        }
    """

    def __init__(self, select: Callable[[Any], bool]) -> None:  # Any: nodes of all languages
        self._select = select
        self._made = 0
        self._own_emitted = 0  # of what is counted as emitted, how much handlers did not put there
        self._moved = Effect.NONE  # of what was put before the statement so far
        self._effects: dict[Node, Effect] = {}
        self._closures: set[Node] = set()  # what makes functions, of all that has effects here
        self._scopes: tuple[Node, Scopes] | None = None
        self.declared: list[Node] = []

    def handle_node(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        """Return ``node`` rebuilt, with selected operands replaced by temporaries."""
        if not self._frames and not node.language_.is_tree and len(self._parents) == 1:
            return self._in_body(node, 0, lambda: self._rebuild(visitor, node))
        return self._rebuild(visitor, node)

    def _rebuild(self, visitor: Dispatch, node: Node, but: str | None = None) -> Node:
        known = len(self.declared)
        changes: dict[str, object] = {}
        visited: list[_Operand] = []
        for declared in entry_of(visitor.steps.fields, node):
            held = getattr(node, declared.name)
            if declared.name == but or held is None:
                continue
            if declared.block:
                changes[declared.name] = self._image_of_list(visitor, declared, held)
                continue
            images = []
            for index, child in enumerate(held if declared.holds_many else (held,)):
                if not isinstance(child, Node):
                    images.append(child)
                elif declared.role is Role.SCOPE:
                    images.append(self._image_in_scope(visitor, node, child))
                    self._forget_what_is_written(images[-1])
                else:
                    images.append(child)
                    operand = _Operand(child, declared, index)
                    visited.append(self._visit_operand(visitor, node, operand))
            changes[declared.name] = images if declared.holds_many else images[0]
        self._name_operands(visitor, node, visited)
        for operand in visited:
            if operand.field.holds_many:
                changes[operand.field.name][operand.index] = operand.image  # type: ignore[index]
            else:
                changes[operand.field.name] = operand.image
        if len(self.declared) > known:
            self._declare(node, changes, known)
        return node.with_fields(**changes)

    def _visit_operand(self, visitor: Dispatch, holder: Node, operand: _Operand) -> _Operand:
        frame = self._frames[-1] if self._frames else None
        shares = holder.language_.is_tree and not visitor.occurrences
        if shares and frame is not None and self._take_known(operand, frame):
            return operand
        before, self._moved = self._moved, Effect.NONE
        emitted, own_emitted = self._emitted, self._own_emitted
        operand.image = self._image_of(operand.node, visitor.visit(operand.node))
        operand.effect, self._moved = self._moved, before
        operand.position = len(frame.new) if frame is not None else 0
        if frame is None or not shares:
            return operand
        self._forget_what_is_written(operand.image)
        if self._is_named(operand) and not self._is_statement(holder):
            operand.asked = True
            if self._select(operand.image):
                own = self._effect_of(operand.image)
                if self._name(visitor, operand, must=False):
                    operand.effect |= own
        if self._emitted - emitted == self._own_emitted - own_emitted > 0:
            self._keep_known(operand, frame)
        return operand

    def _take_known(self, operand: _Operand, frame: Frame) -> bool:
        """Make the image of an operand what it was before in this block; return whether it was."""
        for known in (frame.steady, frame.reading):
            if known is not None and operand.node in known:
                operand.image, operand.asked = known[operand.node], True
                operand.position = len(frame.new)
                self._note_emitted()  # in another block, there is no such temporary
                return True
        return False

    def _keep_known(self, operand: _Operand, frame: Frame) -> None:
        """Let other places of the block have the image of an operand, as long as that is right."""
        effect = self._effect_of(operand.node)
        if not effect:
            if frame.steady is None:
                frame.steady = {}
            frame.steady[operand.node] = operand.image
        elif not effect & ~_READS:
            if frame.reading is None:
                frame.reading = {}
            frame.reading[operand.node] = operand.image

    def _note_emitted(self) -> None:
        """Take note that an image is right only in this block, as temporaries are in it."""
        self._emitted += 1
        self._own_emitted += 1

    def _forget_what_is_written(self, evaluated: Node) -> None:
        """Forget images that read something, if what is evaluated here may write something."""
        if self._frames and self._frames[-1].reading and self._effect_of(evaluated) & ~_READS:
            self._frames[-1].reading = None

    @staticmethod
    def _is_named(operand: _Operand) -> bool:
        """Return whether an operand may have a name: it has a value, and is computed."""
        return type(operand.image) not in ATOMS and operand.field.role is Role.OPERAND

    def _name_operands(self, visitor: Dispatch, node: Node, visited: list[_Operand]) -> None:
        """Replace operands by temporaries: those selected, and those which come before others."""
        selects = not self._is_statement(node)
        later = Effect.NONE
        first: dict[Node, _Operand] = {}
        if not node.language_.is_tree:  # what is shared is evaluated once, where it comes first
            for operand in visited:
                first.setdefault(operand.node, operand)
        for operand in reversed(visited):
            if first.get(operand.node, operand) is not operand:
                later |= operand.effect
                continue
            if self._is_named(operand):
                own = self._effect_of(operand.image)
                must = _interferes(own, later)
                asks = selects and not operand.asked
                if (must or (asks and self._select(operand.image))) and self._name(
                    visitor, operand, must=must
                ):
                    operand.effect |= own
            elif operand.field.role is Role.PART and _interferes(
                self._effect_of(operand.image), later
            ):
                _refuse(operand.image)
            later |= operand.effect
        for operand in visited:
            operand.image = first.get(operand.node, operand).image
        self._moved |= later

    def _name(self, visitor: Dispatch, operand: _Operand, *, must: bool) -> bool:
        """Give an operand a name; return whether that can be done.

        Raises:
            DispatchError: If it must be done and cannot.
        """
        frame = self._frames[-1] if self._frames else None
        made = None
        if frame is not None and frame.kinds and self._may_move(operand, frame):
            made = make_temporary(operand.image, f"t{self._made + 1}")
        if made is None:
            if must:
                _refuse(operand.image)
            return False
        assert frame is not None
        self._made += 1
        frame.new.insert(operand.position, made.binding)
        if made.declared is not None:
            self.declared.append(made.declared)
        if operand.node.language_.is_tree:
            self._note_emitted()
        else:
            visitor.memo_map[operand.node] = made.use
        operand.image = made.use
        return True

    def _is_statement(self, node: Node) -> bool:
        """Return whether ``node``, which is being handled, is a statement and no value."""
        return self._accepts_statements(node) and (
            rest_field(type(node)) is not None or node.language_.is_tree
        )

    def _may_move(self, operand: _Operand, frame: Frame) -> bool:
        """Return whether an operand is evaluated whenever the statement of ``frame`` is, and once.

        What refers to functions may refer to what the statement binds.
        """
        node = operand.node
        if node.language_.is_tree:
            return True
        self._effect_of(operand.image)
        if frame.reach == 1 and operand.image in self._closures:
            return False
        root = self._parents[0]
        if self._scopes is None or self._scopes[0] is not root:
            self._scopes = (
                root,
                Scopes(root, flat={kind for kind in Node.kinds if rest_field(kind)}),
            )
        found, position = self._scopes[1], frame.base - 1
        while position >= 0 and self._parents[position].held_as_ is Role.PART:
            position -= 1
        if position < 0:
            return found.scope.get(node) == OUTERMOST
        holder = self._parents[position]
        if rest_field(type(holder)) is not None:  # the block is an operand
            return False
        return found.scope.get(node) in found.opened.get(holder, ())

    def _image_in_scope(self, visitor: Dispatch, node: Node, child: Node) -> Node:
        """Return the image of what ``node`` evaluates in a scope of its own."""

        def visit() -> Node:
            return self._image_of(child, visitor.visit(child))

        moved = self._moved
        is_statement = is_statement_of(node, child)
        image = visit() if is_statement else self._in_body(child, len(self._parents), visit)
        self._moved = moved
        return image

    def _in_body(self, body: Node, depth: int, visit: Callable[[], Node]) -> Node:
        """Return what ``visit`` makes of ``body``, behind what was put before it meanwhile."""
        chain = None if body.language_.is_tree else chain_kind(type(body))
        frame = Frame((), -1, depth) if chain is None else Frame({chain}, 0, depth)
        before = self._emitted
        frame.begin(body, depth)
        self._frames.append(frame)
        try:
            image = visit()
        finally:
            self._frames.pop()
            self._emitted = before
        for new in reversed(frame.new):
            image = new.with_fields(**{str(rest_field(type(new))): image})
        return image

    def _declare(self, node: Node, changes: dict[str, object], known: int) -> None:
        """Put what temporaries need among the variables that ``node`` declares, if it does."""
        if not any(f.runs is Runs.DEFERRED for f in node.fields_):
            return
        for declared in self.declared[known:]:
            for binder in reversed(node.fields_):
                if binder.binder and binder.holds_many and type(declared) in _kinds_of(binder):
                    held = changes.get(binder.name, getattr(node, binder.name))
                    changes[binder.name] = (*held, declared)  # type: ignore[misc]
                    self.declared.remove(declared)
                    break

    def _effect_of(self, root: Node) -> Effect:
        """Return what evaluating ``root`` may do, what is below it included."""
        known = self._effects
        if root not in known:
            for node in PROGRAM.post_order(root, lambda node: node not in known):
                if node in known:
                    continue
                effect = _own_effect(node)
                for child in operands(node):
                    effect |= known[child]
                closes = not self._closures.isdisjoint(evaluated(node))
                for scope in scopes(node):
                    if scope.runs is Runs.DEFERRED:
                        closes = True
                        continue
                    for child in scope.roots:
                        effect |= known[child]
                known[node] = effect
                if closes:
                    self._closures.add(node)
        return known[root]


def _own_effect(node: Node) -> Effect:
    """Return what evaluating ``node`` does by itself, told by the operator where it calls one."""
    calls = operator_field_of(type(node))
    if calls is None or calls.callee(node) is None:
        return node.traits_.effect
    called = operator_of(node)
    if called.has_property(Property.SIDE_EFFECT):
        return Effect.UNKNOWN
    return Effect.READS if called.has_property(Property.LOAD) else Effect.NONE


def _interferes(earlier: Effect, later: Effect) -> bool:
    """Return whether it may matter which of two comes first."""
    return bool(earlier and later and (earlier | later) & ~_READS)


def _refuse(image: Node) -> NoReturn:
    raise DispatchError(
        f"{one_line(image)} is evaluated before what is to be a temporary, and may interfere with "
        f"it, but can have no name in this place; select less, or bring the program into blocks "
        f"first, Relay's by ToANormalForm"
    )


def _kinds_of(declared: Field) -> set[type[Node]]:
    assert declared.kind is not None
    found: set[type[Node]] = declared.kind.kinds
    return found


_READS: Final = Effect.READS
