"""Affine forms: integers as a constant plus multiples of terms."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Generic, NamedTuple, TypeVar

_Term = TypeVar("_Term", bound=Hashable)


class Affine(NamedTuple, Generic[_Term]):
    """``constant + sum(coefficient * term)``; no coefficient is zero.

    Attributes:
        terms: The coefficient of each term, in order of first occurrence.

    Example:
        >>> form = Affine(4, {"i": 5}).plus(Affine(0, {"i": 5, "j": 1}), -1)
        >>> form.constant, form.coefficient("i"), form.coefficient("j")
        (4, 0, -1)
    """

    constant: int
    terms: Mapping[_Term, int]

    @property
    def is_constant(self) -> bool:
        """Whether it has no terms."""
        return not self.terms

    def coefficient(self, term: _Term) -> int:
        """Return the coefficient of ``term``, 0 if it does not occur."""
        return self.terms.get(term, 0)

    def plus(self, other: Affine[_Term], factor: int = 1) -> Affine[_Term]:
        """Return the sum with ``factor`` times another form, as integers."""
        if not factor:
            return self
        terms = dict(self.terms)
        for term, coefficient in other.terms.items():
            total = terms.get(term, 0) + factor * coefficient
            if total:
                terms[term] = total
            else:
                terms.pop(term, None)
        return Affine(self.constant + factor * other.constant, terms)

    def times(self, factor: int) -> Affine[_Term]:
        """Return the product with a number, as integers."""
        if not factor:
            return Affine(0, {})
        terms = {term: factor * coefficient for term, coefficient in self.terms.items()}
        return Affine(factor * self.constant, terms)

    def shifted(self, by: int) -> Affine[_Term]:
        """Return the sum with a number."""
        return Affine(self.constant + by, self.terms)

    def replacing(self, term: _Term, image: Affine[_Term]) -> Affine[_Term]:
        """Return this with ``image`` for ``term``."""
        coefficient = self.terms.get(term)
        if coefficient is None:
            return self
        terms = {other: value for other, value in self.terms.items() if other != term}
        return Affine(self.constant, terms).plus(image, coefficient)
