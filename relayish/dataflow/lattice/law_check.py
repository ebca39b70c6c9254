"""Checks of the laws of lattices on samples of their states."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from relayish.dataflow.lattice.lattice import Lattice
from relayish.dataflow.lattice.laws import LAWS, MONOTONE, RETURNS_OPERANDS, Law, shown
from relayish.errors import FieldError, LatticeLawError, add_note

S = TypeVar("S")

Step: TypeAlias = Callable[[Any], Any]  # Any: a state


def check_laws(
    lattice: Lattice[S],
    samples: Iterable[S],
    *,
    transfers: Sequence[Callable[[S], S]] = (),
    returns_operands: bool = False,
    most: int = 10_000,
    longest_chain: int = 100,
    seed: int = 0,
) -> None:
    """Check that a lattice is one: try its laws on samples of its states.

    Join and meet are commutative, associative and idempotent, and absorb each other; bottom and top
    are their identities; ``leq`` is a partial order, and says what join and meet say; ``equal`` is
    an equivalence, of states that are below each other; ``widen`` is above both states, ``narrow``
    between them, and chains of both end. The laws stand in :mod:`.laws`.

    Args:
        lattice: The lattice.
        samples: Some of its states; bottom and top are added. A dozen that differ much find most.
        transfers: Functions of states that analyses use: whether they are monotone, and whether
            states that grow by them come to rest when they are widened.
        returns_operands: Whether operations have to return ``a``, the same object, where the result
            equals it. It is what solvers are fast by, but no law.
        most: How many pairs, and how many triples of samples are tried: all, if there are no more.
        longest_chain: How often a state may change by being widened or narrowed, where the lattice
            does not say that it has finite height.
        seed: What samples are drawn by where there are more.

    Raises:
        LatticeLawError: If a law is broken: it names the law, the states, and what each side gave.

    Complexity:
        At most ``most`` times a constant number of operations.

    Source:
        Davey and Priestley, *Introduction to Lattices and Order*; widening: Cousot and Cousot.

    Example:
        >>> from relayish.dataflow.lattice import Booleans, Flat
        >>> check_laws(Flat(), [1, 2, 3.0])
        >>> class Last(Booleans):
        ...     def join(self, a, b):
        ...         return b
        >>> check_laws(Last(), [])
        Traceback (most recent call last):
        ...
        relayish.errors.LatticeLawError: lattice Last() breaks a law: join is commutative; on \
a = False, b = True: join(a, b) is True, but join(b, a) is False; mend join
    """
    if not isinstance(lattice, Lattice):
        raise FieldError(
            f"check_laws was given {shown(lattice)} for a lattice; give it an instance of a class "
            f"derived from relayish.dataflow.Lattice"
        )
    states = [lattice.bottom, lattice.top, *samples]
    rng = random.Random(seed)  # noqa: S311 - no secret
    chosen = {count: list(_chosen(states, count, most, rng)) for count in (1, 2, 3)}
    trial = _Trial(lattice)
    for law in (*LAWS, *RETURNS_OPERANDS) if returns_operands else LAWS:
        names = law.states
        for drawn in chosen[len(names)]:
            trial.try_law(law, dict(zip(names, drawn, strict=True)))
    for transfer in transfers:
        for a, b in chosen[2]:
            trial.try_law(MONOTONE, {"a": a, "b": b}, transfer)
    trial.try_chains(states, transfers, longest_chain)


def _chosen(
    states: Sequence[S], count: int, most: int, rng: random.Random
) -> Iterator[tuple[S, ...]]:
    """Yield all tuples of so many states, or ``most`` that are drawn from them."""
    if len(states) ** count <= most:
        yield from product(states, repeat=count)
        return
    for _ in range(most):
        yield tuple(rng.choices(states, k=count))


def _constant(state: S) -> Callable[[S], S]:
    return lambda _: state


class _Trial:
    """A lattice on trial."""

    def __init__(self, lattice: Lattice[Any]) -> None:
        self.lattice = lattice
        self.operations = {
            "join": lattice.join, "meet": lattice.meet, "leq": lattice.leq, "equal": lattice.equal,
            "widen": lattice.widen, "narrow": lattice.narrow, "bottom": lattice.bottom,
            "top": lattice.top,
        }  # fmt: skip

    def try_law(self, law: Law, states: dict[str, Any], transfer: Step | None = None) -> None:
        """Raise an error if states break a law; note on other errors where they come up."""
        try:
            broken = law.broken({**self.operations, **states, "transfer": transfer})
        except Exception as exc:
            add_note(exc, f"while trying whether {law.name}: {law.text}, on {_on(states)}")
            raise
        if broken is not None:
            self.refuse(law.name, states, broken, law.mended)

    def try_chains(
        self,
        states: Sequence[Any],
        transfers: Sequence[Step],
        longest: int,  # Any: states
    ) -> None:
        """Raise an error if a state that is widened, or narrowed, again and again never rests.

        Args:
            states: What it is widened by, one after the other, and each by itself all the time;
                and where chains begin.
            transfers: What makes of a state what that is widened by.
            longest: How often a state may change; if the lattice has finite height, in how many
                rounds.
        """
        lattice = self.lattice
        join, meet = lattice.join, lattice.meet

        def widened(old: Any, new: Any) -> Any:  # Any: states
            return lattice.widen(old, join(old, new))

        def narrowed(old: Any, new: Any) -> Any:  # Any: states
            return lattice.narrow(old, meet(old, new))

        constants = [_constant(state) for state in states[2:]]
        self.try_chain("widen", widened, lattice.bottom, constants, longest)
        self.try_chain("narrow", narrowed, lattice.top, constants[::-1], longest)
        for begin in states[:_BEGINNINGS]:
            for step in (*map(_constant, states[:_BEGINNINGS]), *transfers):
                self.try_chain("widen", widened, begin, [step], longest)
                self.try_chain("narrow", narrowed, begin, [step], longest)

    def try_chain(
        self,
        name: str,
        advance: Callable[[Any, Any], Any],  # Any: states
        begin: Any,  # Any: a state
        steps: Sequence[Step],
        longest: int,
    ) -> None:
        """Raise an error if a state changes too often when it is advanced by what steps make."""
        state, changes = begin, 0
        while True:
            before, changed = state, 0
            for step in steps:
                last, state = state, advance(state, step(state))
                if state is not last and not self.lattice.equal(state, last):
                    changed += 1
            if not changed:
                return
            changes += 1 if self.lattice.finite_height else changed
            if changes > longest:
                found = f"{name} goes on from {shown(before)} to {shown(state)}"
                self.refuse(f"chains of {name} end", {"a": begin}, found, name)

    def refuse(self, law: str, states: dict[str, Any], found: str, mended: str) -> NoReturn:
        raise LatticeLawError(
            f"lattice {shown(self.lattice)} breaks a law: {law}; on {_on(states)}: {found}; "
            f"mend {mended}",
            law=law,
            states=tuple(states.values()),
        )


def _on(states: dict[str, Any]) -> str:  # Any: states
    return ", ".join([f"{name} = {shown(state)}" for name, state in states.items()])


_BEGINNINGS: Final = 20
