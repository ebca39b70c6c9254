"""Tensor contraction: sums of products along axes that an equation names, said in several ways.

An equation is one of Einstein's, of two operands, each letter once in each: ``"mk,nk->mn"``.
"""

from __future__ import annotations

from math import prod

from relayish.ir.relay.expr import Expr
from relayish.op.builders.builder import op
from relayish.passes.relay.lowering.tensors import Shape, reshape, transpose


def by_einsum(equation: str, left: Expr, right: Expr) -> Expr:
    """Return the contraction as one ``einsum``."""
    found: Expr = op.einsum((left, right), equation=equation)
    return found


def by_sums(equation: str, left: Expr, right: Expr) -> Expr:
    """Return the contraction as products of all pairs of elements, and sums of these."""
    terms, result = _read(equation)
    summed = "".join(dict.fromkeys([c for term in terms for c in term if c not in result]))
    order = result + summed
    wide = [_align(expr, term, order) for expr, term in zip((left, right), terms, strict=True)]
    products: Expr = op.multiply(*wide)
    if summed:
        products = op.sum(products, axis=tuple(range(len(result), len(order))))
    return products


def by_matrices(
    equation: str, left: Expr, left_shape: Shape, right: Expr, right_shape: Shape
) -> Expr:
    """Return the contraction as one ``nn.batch_matmul`` of tensors that are brought into stacks."""
    (one, other), result = _read(equation)
    sizes = dict(zip(one + other, left_shape + right_shape, strict=True))
    shared = [letter for letter in one if letter in other]
    batch = "".join([letter for letter in shared if letter in result])
    inner = "".join([letter for letter in shared if letter not in result])
    rows = "".join([letter for letter in result if letter not in other])
    columns = "".join([letter for letter in result if letter not in one])
    left = _sum_lone(left, one, rows + batch + inner)
    right = _sum_lone(right, other, columns + batch + inner)
    one = "".join([letter for letter in one if letter in rows + batch + inner])
    other = "".join([letter for letter in other if letter in columns + batch + inner])
    stacks = [
        _stack(expr, term, (batch, free, inner), sizes)
        for expr, term, free in ((left, one, rows), (right, other, columns))
    ]
    found: Expr = op.nn.batch_matmul(*stacks, transpose_b=True)
    made = batch + rows + columns
    shape = [prod([sizes[letter] for letter in part]) for part in (batch, rows, columns)]
    found = reshape(found, shape, [sizes[letter] for letter in made])
    return transpose(found, [made.index(letter) for letter in result])


def _read(equation: str) -> tuple[list[str], str]:
    terms, _, result = equation.partition("->")
    return terms.split(","), result


def _align(expr: Expr, term: str, order: str) -> Expr:
    """Return ``expr``, with the axes ``term``, so that it broadcasts along ``order``."""
    present = [letter for letter in order if letter in term]
    expr = transpose(expr, [term.index(letter) for letter in present])
    for place, letter in enumerate(order):
        if letter not in term:
            expr = op.expand_dims(expr, axis=place)
    return expr


def _sum_lone(expr: Expr, term: str, kept: str) -> Expr:
    """Return ``expr`` summed along the axes that neither the result nor the other operand has."""
    lone = tuple([place for place, letter in enumerate(term) if letter not in kept])
    if not lone:
        return expr
    found: Expr = op.sum(expr, axis=lone)
    return found


def _stack(expr: Expr, term: str, parts: tuple[str, ...], sizes: dict[str, int]) -> Expr:
    """Return ``expr`` with the axes of each part joined to one."""
    order = "".join(parts)
    expr = transpose(expr, [term.index(letter) for letter in order])
    whole = [prod([sizes[letter] for letter in part]) for part in parts]
    return reshape(expr, [sizes[letter] for letter in order], whole)
