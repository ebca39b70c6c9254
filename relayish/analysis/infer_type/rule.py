"""Type rules: what the type of a node of some kind is, by the types of its parts.

Rules of Relay's own kinds are methods of the inferencer; other packages add theirs by
:data:`TYPE_RULES`, in terms of :class:`Inference`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.analysis.infer_type.environment import Environment
from relayish.errors import DeclarationError, DuplicateNameError, RelayishError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.kind_table import MadeTable
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay.expr import Expr, Op, Var
from relayish.ir.relay.type import FuncType, Type
from relayish.ir.scopes.scoping import evaluated, outer_operands

Asked: TypeAlias = Node | tuple[Node, ...]
Told: TypeAlias = Any  # Any: the type of the node asked for, or of each of several

Steps: TypeAlias = Generator[Asked, Told, Type]
"""What a rule in steps is: it yields what is to be inferred next, and returns the type."""

TypeRule: TypeAlias = Callable[[Any, "Inference"], Type | Steps]  # Any: a node of the kind


class Inference:
    """What the type rule of a node knows and may demand; one for each node.

    Nothing is known for good before the whole program is met: a type may be, or hold, an
    ``IncompleteType``, of which more becomes known later. Rules say which types are equal rather
    than look at them. What is wrong is reported at its place, with all else that is wrong.

    Attributes:
        node: The node the rule is asked about.
    """

    __slots__ = ("_found", "node")

    def __init__(self, found: Environment, node: Expr) -> None:
        self._found = found
        self.node = node

    def type_of(self, part: Node) -> Type:
        """Return the type of an operand, or of what the rule has had inferred, or of a variable.

        Raises:
            RelayishError: If it is not met yet.
        """
        found = self._found.types.get(part)
        if found is None:
            raise RelayishError(
                f"the type of {part!r} is asked for before it is inferred; yield it first"
            )
        return found

    def bind(self, binder: Node, value: Node, what: str = "") -> Type:
        """Let a variable, or the variables of a pattern, stand for ``value``.

        The annotation of a variable is heeded. A variable may be bound several times, as that of a
        loop is by its first value and by its body: it stands for all of these, and the scopes are
        inferred again where that makes its type a wider one.

        Args:
            binder: A variable that the node binds, or a pattern.
            value: A part of the node that is inferred, or a type.
            what: What an error says was found; by default ``value of %x``.

        Returns:
            The type of the variable.
        """
        at, ty = self._sides(value)
        return self._found.bind(at, binder, ty, what, self.node)

    def equate(self, expected: Node, found: Node, what: str) -> Type:
        """Demand that two types are the same, and return the one they are.

        Where one has a dimension of unknown size, so has the result.

        Args:
            expected: A type, or a part of the node that is inferred.
            found: The same; an error is reported at its place.
            what: What an error says first: ``"condition of while"``.
        """
        at, ty = self._sides(found)
        _, wanted = self._sides(expected)
        return self._found.equate(at, wanted, ty, what, self.node)

    def head(self, ty: Type) -> Type:
        """Return what is known by now of ``ty``: an ``IncompleteType`` where that is nothing."""
        return self._found.find(ty)

    def when_known(self, ty: Type, then: Callable[[Type], Type], problem: str = "") -> Type:
        """Return what ``then`` makes of ``ty`` as soon as it is known what sort of type that is.

        Args:
            ty: A type.
            then: Is given the type, which is no ``IncompleteType``, at once or later.
            problem: What is wrong if it never becomes known.
        """
        told = problem or f"the type of a part of {type(self.node).__name__} cannot be told"
        return self._found.await_head(self.node, ty, then, told)

    def call(self, op: Op, args: Sequence[Type], attrs: Attrs | None = None) -> Type:
        """Return the type of an operator applied to arguments of types ``args``."""
        return self._found.apply(self.node, op, attrs, tuple(args))

    def field(self, tuple_type: Type, index: int) -> Type:
        """Return the type of field ``index`` of a tuple."""
        return self._found.project(self.node, tuple_type, index)

    def instance(self, func: FuncType) -> FuncType:
        """Return the type of a polymorphic function as it is used once."""
        return self._found.instantiate(self.node, func)

    def report(self, message: str, at: Node | None = None) -> Type:
        """Report that something is wrong, and return a type that goes with every other."""
        place = at if isinstance(at, Expr) else self.node
        return self._found.report(place, message, self.node)

    def _sides(self, given: Node) -> tuple[Expr, Type]:
        if isinstance(given, Type):
            return self.node, given
        return given if isinstance(given, Expr) else self.node, self.type_of(given)


class Entry(NamedTuple):
    """How the inferencer treats nodes of a kind.

    Attributes:
        enter: ``enter(inferencer, node)``: what to do, last first; ``None`` for meeting all parts
            and then leaving.
        leave: ``leave(inferencer, node)``: the type, once all parts have theirs; ``None`` where
            ``enter`` sees to that.
    """

    enter: Callable[..., list[Any]] | None  # Any: nodes and steps
    leave: Callable[..., Type] | None


def _make_entry(kind: type[Node], rule: TypeRule | Entry) -> Entry:
    if isinstance(rule, Entry):
        return rule
    known = TYPE_RULES.get(kind)
    if known is not None and known.leave is not None:
        raise DuplicateNameError(f"the type rule of Relay's {kind.__name__} cannot be replaced")
    given: Any = rule  # Any: it returns a type, or steps
    enter = _enter_steps if inspect.isgeneratorfunction(given) else _enter_function
    return Entry(enter(given), None)


TYPE_RULES: Final[MadeTable[Entry, TypeRule | Entry]] = MadeTable(
    "type inference", "relay.analysis.TYPE_RULES", _make_entry, held_as=Role.OPERAND
)
"""The type rules of all kinds of expressions.

``rule(node, infer)`` returns the type of ``node``; ``infer`` is an :class:`Inference`. When a plain
function is called, all parts of the node have their types, and variables it binds those of their
annotations, or unknown ones. A generator function is called when operands have their types. It
yields what is to be inferred next, a part of the node or a tuple of parts, and is sent the types;
variables in these should be bound before. What it does not ask for is inferred after it returned.
"""


def _entry(kind: type[Node]) -> Entry:
    """Return how nodes of a kind are treated; a free variable is one of Relay's if not told."""
    return TYPE_RULES[Var if kind in VARIABLES and not TYPE_RULES.knows(kind) else kind]


ENTER: Final = TYPE_RULES.derive(lambda kind: _entry(kind).enter)
LEAVE: Final = TYPE_RULES.derive(lambda kind: _entry(kind).leave)


class Step:
    """Something to do between the parts of a node: ``run(inferencer, node)`` says what follows."""

    __slots__ = ("node", "run")

    def __init__(self, run: Callable[..., Sequence[Any] | None], node: object) -> None:
        self.run = run
        self.node = node


class _Running:
    """A rule in steps, and what it waits for."""

    __slots__ = ("asked", "node", "steps")

    def __init__(self, node: Node, steps: Steps) -> None:
        self.node = node
        self.steps = steps
        self.asked: Asked | None = None


def _enter_function(rule: Callable[[Any, Inference], Type]) -> Callable[..., list[Any]]:
    """Return what meets all parts of a node before its rule is asked."""

    def enter(found: Environment, node: Node) -> list[Any]:  # Any: nodes and steps
        found.declare_all(node)
        return [Step(leave, node), *_enter_all(evaluated(node))]

    def leave(found: Environment, node: Expr) -> Sequence[Any] | None:  # Any: as above
        try:
            ty = rule(node, Inference(found, node))
        except TypeInferenceError as error:
            ty = found.report(node, error)
        return _finish(found, node, ty)

    return enter


def _enter_steps(rule: Callable[[Any, Inference], Steps]) -> Callable[..., list[Any]]:
    """Return what meets the operands of a node before its rule begins."""

    def enter(_found: Environment, node: Node) -> list[Any]:  # Any: nodes and steps
        return [Step(begin, node), *_enter_all(outer_operands(node))]

    def begin(found: Environment, node: Expr) -> Sequence[Any] | None:  # Any: as above
        return _advance(found, _Running(node, rule(node, Inference(found, node))))

    return enter


def _advance(found: Environment, running: _Running) -> Sequence[Any] | None:  # Any: as above
    """Let a rule go on with the types it asked for."""
    node: Any = running.node  # Any: a node of any family
    asked, types = running.asked, found.types
    told: Told = None
    if asked is not None:
        told = tuple([types[n] for n in asked]) if isinstance(asked, tuple) else types[asked]
    try:
        asked = running.asked = running.steps.send(told)
    except StopIteration as stop:
        return _finish(found, node, stop.value)
    except TypeInferenceError as error:
        return _finish(found, node, found.report(node, error))
    roots = asked if isinstance(asked, tuple) else (asked,)
    for root in roots:
        if not isinstance(root, Node):
            raise DeclarationError(
                f"the type rule of {type(node).__name__} yielded {root!r}; "
                f"expected a part of the node, or a tuple of parts"
            )
    found.declare_all(node)
    return [Step(_advance, running), *_enter_all(roots)]


def _finish(found: Environment, node: Node, ty: object) -> Sequence[Any] | None:  # Any: as above
    """Note the type of ``node``, once all its parts have theirs."""
    if not isinstance(ty, Type):
        raise DeclarationError(
            f"the type rule of {type(node).__name__} returned {ty!r}; expected a type"
        )
    missed = [part for part in evaluated(node) if part not in found.types]
    if missed:
        found.declare_all(node)
        return [Step(_record, (node, ty)), *_enter_all(missed)]
    found.types[node] = ty
    return None


def _record(found: Environment, typed: tuple[Node, Type]) -> None:
    node, ty = typed
    found.types[node] = ty


def _enter_all(nodes: Sequence[Node]) -> list[Any]:  # Any: nodes and steps
    """Return what makes the inferencer meet ``nodes`` in order; those without a type go by rule."""
    return [n if isinstance(n, Expr) else Step(_enter_untyped, n) for n in reversed(nodes)]


def _enter_untyped(found: Environment, node: Node) -> Sequence[Any] | None:  # Any: as above
    """Enter a node of a family that carries no types, such as a statement."""
    if node in found.types:
        return None
    enter = ENTER[type(node)]
    assert enter is not None
    steps: list[Any] = enter(found, node)  # Any: as above
    return steps


def node_under_way(item: object) -> object:
    """Return the node that an item of the inferencer's stack is about."""
    held = item.node if isinstance(item, Step) else item
    return held.node if isinstance(held, _Running) else held
