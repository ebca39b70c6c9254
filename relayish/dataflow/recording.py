"""Recording functors: what a functor returned at each occurrence, and what for."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import Enum
from typing import Any, Generic, NamedTuple, Self, TypeVar, cast

from relayish._support.collector import pause_collection
from relayish.dataflow.direction import Direction
from relayish.dataflow.functor import DataFlow
from relayish.dataflow.graph.occurrences import find_occurrences
from relayish.dataflow.occurrence_functor import OccurrenceFunctor
from relayish.dataflow.solver.solution import Solution
from relayish.errors import AnalysisError, DeclarationError, DispatchError, suggest
from relayish.functor.extension import check_functor, extend_object
from relayish.functor.functor import Functor
from relayish.functor.memoized import Memoization
from relayish.ir.kinds.one_line import one_line, show_found
from relayish.ir.nodes.node import Node

R = TypeVar("R")
_S = TypeVar("_S")

Key = Callable[..., Hashable]
"""``key(node, *args)``: under which key the value of a visit is recorded."""


class MemorizingPolicy(Enum):
    """Which value a recording functor keeps where it evaluates several times for one key."""

    OVERRIDE = "override"  # the last; of a fixpoint computation the one it ended with


class BeforeAfter(NamedTuple, Generic[_S]):
    """The states of an analysis around what is executed."""

    before: _S
    after: _S


def by_node(node: Node, *_args: object) -> Node:
    """Return ``node``: the key that tells apart what is not one object."""
    return node


class RecordingFunctor(OccurrenceFunctor[Any, R]):
    """Recording functor: ``parent``, and a dictionary of what it returned at each visit.

    ``RecordingFunctor(parent)`` is a functor of the class of ``parent`` too. Each visit, those that
    handlers ask for included, has a key. If the last visit with that key had the same input, the
    node and the arguments, its value is returned; else the handler is called, and what it returns
    takes the place of what was recorded. So if handlers compute fixpoints, the values are
    those of the last evaluation: the fixpoint, if that came last.

    Of a :class:`~relayish.dataflow.ForwardDataFlow` or ``BackwardDataFlow``, which the solver
    walks, what is recorded are the states that it found, at each occurrence that has points.

    A visit from outside begins with a new dictionary. :meth:`take` hands it out; nothing that was
    handed out changes later.

    Args:
        parent: A functor, or a class of functors that is made without arguments. An object is
            copied, so that its own visits are not recorded. Its handlers must be pure, the states
            immutable.
        key: Maps the node and the arguments of a visit to the key. By default the key is the
            :class:`~relayish.dataflow.Occurrence` of the node; :func:`by_node` is the node.
        policy: What is kept where one key is evaluated several times, or its name.
        *init: What ``dict`` makes the dictionary of that each visit from outside begins with.
        direction: Whether the state that handlers take is the one before their node or after it.
            By default the attribute ``direction`` of the functor says so.

    Raises:
        DeclarationError: If ``parent`` is no functor, or needs arguments to be made, if there is no
            such policy, if ``init`` makes no dictionary, or if the functor goes another way than
            ``direction``.
        DispatchError: From visits, if a key cannot be hashed.

    Complexity:
        A constant number of steps for each visit, beside what its handler does. A node that is
        visited with another state than before is evaluated again: at each of its occurrences, and
        in a graph for each of its users. Where the branches of a node have parts in common on many
        levels, occurrences are many, and :func:`by_node` is the key to use.

    Source:
        ``RecordingExprFunctor``, ``RecordingIRFunctor`` of TVM's data-flow RFC (#4468).

    Example:
        >>> class Live(ExprFunctor[frozenset]):
        ...     direction = Direction.BACKWARD
        ...
        ...     def visit_var(self, var, after):
        ...         return after | {var}
        ...
        ...     def visit_tuple(self, tup, after):
        ...         for field in reversed(tup.fields):
        ...             after = self.visit(field, after)
        ...         return after
        >>> x, y = Var("x"), Var("y")
        >>> live = RecordingFunctor(Live)
        >>> live.visit(Tuple((x, y)), frozenset()) == {x, y}
        True
        >>> for occurrence, states in live.before_after().items():
        ...     before, after = ["".join(sorted(v.name_hint for v in state)) for state in states]
        ...     print(f"{occurrence}: {before or '-'} before, {after or '-'} after")
        %y in (%x, %y): y before, - after
        %x in (%x, %y): xy before, y after
        (%x, %y): xy before, - after
    """

    remembers = False

    direction: Direction
    _key_of: Key | None
    _initial: dict[Any, R]  # Any: what the key function returns
    _values: dict[Any, R] | None
    _inputs: dict[Any, tuple[Node, tuple[Any, ...]]]
    _is_finished: bool

    def __new__(cls, *args: Any, **options: Any) -> Self:  # Any: as __init__
        if cls is not RecordingFunctor:  # a class that was made below
            return super().__new__(cls)
        parent: Any = args[0] if args else options.get("parent")
        check_functor(parent, "RecordingFunctor")
        functor: Functor[Any, Any] = _instantiate(parent) if isinstance(parent, type) else parent
        for taken, does in ((RecordingFunctor, "records already"), (Memoization, "is memoized")):
            if isinstance(functor, taken):
                raise DeclarationError(
                    f"RecordingFunctor is given {type(functor).__name__}, which {does}; "
                    f"expected the functor that it was made of"
                )
        is_solved = isinstance(functor, DataFlow)
        mixin = _RecordingAnalysis if is_solved else RecordingFunctor
        return cast("Self", extend_object(functor, mixin))

    def __init__(
        self,
        parent: type[Functor[Any, R]] | Functor[Any, R],  # noqa: ARG002 - __new__ has made use of it
        key: Key | None = None,
        policy: MemorizingPolicy | str = MemorizingPolicy.OVERRIDE,
        *init: Any,  # Any: as of dict
        direction: Direction | str | None = None,
    ) -> None:
        if key is not None and not callable(key):
            raise DeclarationError(
                f"RecordingFunctor is given the key {show_found(key)}; expected a function "
                f"key(node, *args), or None for the occurrence"
            )
        self._key_of = key
        self.policy = _member(MemorizingPolicy, policy, "policy")
        if direction is not None:
            given = _member(Direction, direction, "direction")
            if _member(Direction, getattr(self, "direction", given), "direction") is not given:
                raise DeclarationError(
                    f"RecordingFunctor is given the direction {given.value} for "
                    f"{type(self).__name__}, which says itself that it goes the other way; "
                    f"leave direction out"
                )
            self.direction = given
        self._initial = _begin_with(init)
        self._values = None
        self._inputs = {}
        self._is_finished = False

    def visit(self, node: Any, *args: Any) -> R:  # Any: whatever the handlers take
        """Return what the functor returns for ``node``, recorded or evaluated."""
        if self._levels is None:
            begun: R = self._begin_visit(RecordingFunctor.visit, node, args)
            return begun
        values, inputs = self._values, self._inputs
        assert values is not None
        outer = self._visiting
        entered = self._enter(node)
        given = (node, args)
        key = entered.occurrence if self._key_of is None else self._key_of(node, *args)
        try:
            known = inputs.get(key)
        except TypeError:
            _check_key(self, node, key)
            raise
        if known is not None and known == given:
            return values[key]
        self._visiting = entered
        try:
            if not args:
                value = super().visit(node)
            elif len(args) == 1:  # spelt out: f(*args) would cross C at every level
                value = super().visit(node, args[0])
            else:
                value = super().visit(node, *args)
        finally:
            self._visiting = outer
        values[key] = value
        inputs[key] = given
        return value

    def _begin_visit(
        self, work: Callable[..., Any], subject: object, args: tuple[object, ...]
    ) -> Any:  # Any: as the functor's
        self._values, self._inputs, self._is_finished = dict(self._initial), {}, False
        result = super()._begin_visit(work, subject, args)
        self._is_finished = True
        return result

    def take(self) -> dict[Any, R]:  # Any: what the key function returns
        """Return the dictionary from key to value of the last visit, which is the caller's then.

        Raises:
            AnalysisError: If there was no visit since the last call, or it failed.
        """
        values = self._recorded("take")
        self._values, self._inputs = None, {}
        return values

    def before_after(self) -> dict[Any, BeforeAfter[Any]]:
        """Return the states before and after what was visited, by key: the RFC's second dictionary.

        The state that handlers take is the one argument of visits, or the tuple of them if there
        are several. It is that before a node in a forward analysis, and that after it in a backward
        one; the other is what handlers return. What ``init`` gave and no visit met is left out.

        Raises:
            AnalysisError: If there is nothing recorded, if nothing says which way the analysis
                goes, or if visits had no argument.
        """
        values = self._recorded("before_after")
        told = getattr(self, "direction", None)
        if told is None:
            raise AnalysisError(
                f"{type(self).__name__} does not say whether the state it takes is the one before "
                f"or after a node; write direction = Direction.FORWARD or Direction.BACKWARD in "
                f"the class, or give direction= to RecordingFunctor"
            )
        is_forward = _member(Direction, told, "direction") is Direction.FORWARD
        found: dict[Any, BeforeAfter[Any]] = {}
        for key, (node, args) in self._inputs.items():
            if not args:
                raise AnalysisError(
                    f"{type(self).__name__} visited {one_line(node)} without a state; before_after "
                    f"is for functors that are called as visit(node, state)"
                )
            taken = args[0] if len(args) == 1 else args
            states = (taken, values[key]) if is_forward else (values[key], taken)
            found[key] = BeforeAfter(*states)
        return found

    def _recorded(self, asked: str) -> dict[Any, R]:
        values = self._values
        if values is None or not self._is_finished:
            why = "it was taken" if self._is_finished else "no visit has ended"
            raise AnalysisError(
                f"{type(self).__name__}.{asked}() finds nothing recorded: {why}; visit a program "
                f"first"
            )
        return values


class _RecordingAnalysis(RecordingFunctor[R]):
    """Records what the solver found for an analysis."""

    remembers = True

    _is_solving: bool
    solution: Solution[R] | None

    def visit(self, node: Any, *args: Any) -> R:  # Any: as above
        """Return the state on the other side of ``node``, as the analysis does."""
        if self._is_solving:
            return super(OccurrenceFunctor, self).visit(node, *args)
        self._values, self._inputs, self._is_finished = dict(self._initial), {}, False
        found = super(OccurrenceFunctor, self).visit(node, *args)
        assert self.solution is not None
        with pause_collection():
            self._record(self.solution, self._values)
        self._is_finished = True
        return found

    def _record(self, solution: Solution[R], values: dict[Any, R]) -> None:  # Any: keys
        """Record states, those last that the analysis comes to last."""
        graph, direction = solution.graph, solution.analysis.direction
        is_forward = direction is Direction.FORWARD
        found = find_occurrences(graph, direction)
        for number in sorted(found, reverse=not is_forward):
            if not solution.is_reached(number):
                continue
            node = graph.nodes[number]
            taken, returned = solution.before(graph.begin(number)), solution.after(number)
            if not is_forward:
                taken, returned = returned, taken
            key = found[number] if self._key_of is None else self._key_of(node, taken)
            try:
                values[key] = returned
            except TypeError:
                _check_key(self, node, key)
                raise
            self._inputs[key] = (node, (taken,))


def _instantiate(parent: type[Functor[Any, R]]) -> Functor[Any, R]:  # Any: over any family
    try:
        return parent()
    except TypeError as error:
        raise DeclarationError(
            f"RecordingFunctor cannot make a {parent.__name__}: {error}; give an object of the "
            f"class, RecordingFunctor({parent.__name__}(...))"
        ) from error


_E = TypeVar("_E", bound=Enum)


def _member(choices: type[_E], found: _E | str, what: str) -> _E:
    """Return the member of ``choices`` that ``found`` is or names."""
    if isinstance(found, choices):
        return found
    names = [member.value for member in choices]
    if isinstance(found, str):
        if found.lower() in names:
            return choices(found.lower())
        near = suggest(found.lower(), names)
    else:
        near = ""
    raise DeclarationError(
        f"RecordingFunctor is given the {what} {found!r}; expected {' or '.join(names)}, as a "
        f"{choices.__name__} or a string{near}"
    )


def _begin_with(init: tuple[Any, ...]) -> dict[Any, Any]:  # Any: keys and values of all sorts
    try:
        return dict(*init)
    except (TypeError, ValueError) as error:
        raise DeclarationError(
            f"RecordingFunctor cannot make a dictionary of {', '.join(map(show_found, init))}: "
            f"{error}; give one mapping from keys to values, or one sequence of pairs"
        ) from error


def _check_key(functor: Functor[Any, Any], node: Node, key: object) -> None:  # Any: any functor
    """Raise if ``key`` cannot be hashed."""
    try:
        hash(key)
    except TypeError:
        raise DispatchError(
            f"the key function of {type(functor).__name__} returned {show_found(key)} for "
            f"{one_line(node)}, which cannot be hashed; return what can be, such as a tuple"
        ) from None
