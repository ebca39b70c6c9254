"""Counts: polynomials over sizes that are known later, exact or an upper bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from relayish.errors import EvaluationError
from relayish.ir.kinds.one_line import nested_line
from relayish.tir.analysis.linear.linear_form import LinearForm
from relayish.tir.ir.operators import Expr

Monomial: TypeAlias = tuple[Expr, ...]
"""The factors of a product, each as often as it is a factor, in the order of their texts."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many, as a polynomial over sizes that are not known yet, which are not negative.

    Attributes:
        terms: The coefficient of each product of sizes, none of which is zero.
        is_exact: Whether it is the number itself; else it is not less.

    Example:
        >>> from relayish import tir
        >>> n = tir.Var("n")
        >>> str(Count({(n, n): 2, (): 1})), str(Count({(): 12}, is_exact=False))
        ('2*n*n + 1', '<=12')
        >>> int(Count({(): 12}) * Count({(): 3}))
        36
    """

    terms: Mapping[Monomial, int]
    is_exact: bool = True

    @property
    def number(self) -> int | None:
        """The number it is; ``None`` where that hangs on sizes."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    def __int__(self) -> int:
        """Return the number it is.

        Raises:
            EvaluationError: If it hangs on sizes that are not known.
        """
        found = self.number
        if found is None:
            names = sorted({_text(each) for product in self.terms for each in product})
            raise EvaluationError(
                f"the count {self} hangs on {', '.join(names)}; expected numbers: say what they "
                f"are, as by count_work(func, {{n: 1024}})"
            )
        return found

    def __float__(self) -> float:
        return float(int(self))

    def __add__(self, other: Count) -> Count:
        if not other.terms and other.is_exact:
            return self
        if not self.terms and self.is_exact:
            return other
        terms = dict(self.terms)
        for product, factor in other.terms.items():
            terms[product] = terms.get(product, 0) + factor
        kept = {product: factor for product, factor in terms.items() if factor}
        return Count(kept, self.is_exact and other.is_exact)

    def __mul__(self, other: Count | int) -> Count:
        if isinstance(other, int):
            return self.scaled(other)
        if other.number is not None:
            found = self.scaled(other.number)
            return found if other.is_exact or not other.number else found.as_bound()
        terms: dict[Monomial, int] = {}
        for product, factor in self.terms.items():
            for more, by in other.terms.items():
                key = product + more
                if product and more:
                    key = tuple(sorted(key, key=_text))
                terms[key] = terms.get(key, 0) + factor * by
        kept = {product: factor for product, factor in terms.items() if factor}
        return Count(kept, self.is_exact and other.is_exact)

    def scaled(self, by: int) -> Count:
        """Return the product with a number."""
        if by == 1:
            return self
        if not by:
            return ZERO
        return Count(
            {product: factor * by for product, factor in self.terms.items()}, self.is_exact
        )

    def as_bound(self) -> Count:
        """Return this as an upper bound."""
        return Count(self.terms, is_exact=False) if self.is_exact else self

    def exact_if(self, holds: bool) -> Count:
        """Return this, as an upper bound unless ``holds``."""
        return self if holds else self.as_bound()

    def at_most(self, other: Count) -> Count:
        """Return the lesser of two bounds, this one where they cannot be compared."""
        mine, limit = self.number, other.number
        if mine is None:
            return self if self.is_exact or limit is None else other.as_bound()
        return other.as_bound() if limit is not None and limit < mine else self

    def __str__(self) -> str:
        shown = [_product_text(product, factor) for product, factor in self.terms.items()]
        return f"{'' if self.is_exact else '<='}{' + '.join(shown) or '0'}"


def number(value: int) -> Count:
    """Return the count that is a number."""
    return Count({(): value}) if value else ZERO


def sum_of(counts: Iterable[Count]) -> Count:
    """Return the sum."""
    found = ZERO
    for count in counts:
        found = found + count
    return found


def product_of(counts: Iterable[Count]) -> Count:
    """Return the product."""
    found = ONE
    for count in counts:
        found = found * count
    return found


def count_of_form(form: LinearForm) -> Count:
    """Return the count that a linear form over sizes is."""
    terms: dict[Monomial, int] = {(term,): factor for term, factor in form.terms.items()}
    if form.constant:
        terms[()] = form.constant
    return Count(terms)


def _text(term: Expr) -> str:
    return nested_line(term, lambda _: None, most=20, longest=60)


def _product_text(product: Monomial, factor: int) -> str:
    names = [_text(each) for each in product]
    names = [name if name.isidentifier() or name[:1] == "(" else f"({name})" for name in names]
    return "*".join([*([str(factor)] if factor != 1 or not product else []), *names])


ZERO: Final = Count({})
ONE: Final = Count({(): 1})
