"""The protocol of lattices."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

S = TypeVar("S")


class Lattice(Generic[S]):
    """Operations on states, apart from their type."""

    @property
    @abstractmethod
    def bottom(self) -> S:
        """The least state."""

    @property
    @abstractmethod
    def top(self) -> S:
        """The greatest state."""

    @abstractmethod
    def join(self, a: S, b: S) -> S:
        """Return the least state above both; ``a`` itself where it is that."""

    @abstractmethod
    def meet(self, a: S, b: S) -> S:
        """Return the greatest state below both."""

    def equal(self, a: S, b: S) -> bool:
        """Return whether two states are the same."""
        return a is b or a == b

    def widen(self, old: S, new: S) -> S:
        """Return a state above both, such that chains of these end."""
        return self.join(old, new)

    def narrow(self, old: S, new: S) -> S:  # noqa: ARG002
        """Return a state between ``new`` and ``old``, which is above it."""
        return old
