"""Maps of indices, as functions from indices to indices, which traces can say."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line, show_found
from relayish.tir.ir.operators import Add, BinaryOpNode, Div, Expr, IntImm, Mod, Mul, Sub, as_expr
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import INT32
from relayish.tir.schedule.trace import VALUES, ValueForm
from relayish.tir.substitution import replace


@dataclass(frozen=True, slots=True)
class IndexMap:
    """Indices for indices: sums, products, quotients and remainders of them.

    Attributes:
        variables: Those that stand for the given indices.
        indices: What is made of these.

    Example:
        >>> tiles = IndexMap.of(lambda i, j: (i / 4, j, i % 4))
        >>> print(tiles)
        lambda i, j: (i / 4, j, i % 4)
    """

    variables: tuple[Var, ...]
    indices: tuple[Expr, ...]

    @classmethod
    def of(cls, function: Callable[..., Any] | IndexMap) -> IndexMap:  # Any: operands
        """Return the map that a function of Python is.

        Args:
            function: Takes variables, by position, and returns an index or a sequence of them.

        Raises:
            ScheduleError: If it takes other arguments, or returns something else.
        """
        if isinstance(function, IndexMap):
            return function
        parameters = inspect.signature(function).parameters.values()
        if any(each.kind is not each.POSITIONAL_OR_KEYWORD for each in parameters):
            raise ScheduleError(
                f"an index map takes {', '.join(map(str, parameters))}; expected a name for each "
                f"index, as in lambda i, j: (j, i)"
            )
        variables = tuple([Var(each.name) for each in parameters])
        found = function(*variables)
        given = found if isinstance(found, (tuple, list)) else (found,)
        made = cls(variables, tuple([as_expr(each, INT32) for each in given]))
        str(made)
        return made

    def at(self, indices: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return what it makes of indices, as many as it has variables."""
        images = dict(zip(self.variables, indices, strict=True))
        return tuple([replace(each, images) for each in self.indices])

    def __str__(self) -> str:
        """Python that makes it."""
        names = ", ".join([each.name for each in self.variables])
        texts = [_spell(each) for each in self.indices]
        return f"lambda {names}: ({', '.join(texts)}{',' if len(texts) == 1 else ''})"


_SIGNS: Final[Mapping[type[BinaryOpNode], tuple[str, int]]] = {
    Add: ("+", 0),
    Sub: ("-", 0),
    Mul: ("*", 1),
    Div: ("/", 1),
    Mod: ("%", 1),
}
"""How operators are written, and how they bind."""


def _spell(expr: Expr, least: int = 0) -> str:
    match expr:
        case Var():
            return expr.name
        case IntImm():
            return str(expr.value)
        case BinaryOpNode() if type(expr) in _SIGNS:
            sign, binds = _SIGNS[type(expr)]
            text = f"{_spell(expr.a, binds)} {sign} {_spell(expr.b, binds + 1)}"
            return f"({text})" if binds < least else text
    raise ScheduleError(
        f"an index map has {one_line(expr)}; expected sums, products, quotients and remainders of "
        f"its indices and of numbers"
    )


def _to_json(given: IndexMap) -> dict[str, list[str]]:
    return {
        "variables": [each.name for each in given.variables],
        "indices": [_spell(each) for each in given.indices],
    }


def _from_json(given: Any) -> IndexMap:  # Any: what json reads
    variables = {str(name): Var(str(name)) for name in given["variables"]}
    indices = [_read(ast.parse(text, mode="eval").body, variables) for text in given["indices"]]
    return IndexMap(tuple(variables.values()), tuple(indices))


def _read(tree: ast.expr, variables: Mapping[str, Var]) -> Expr:
    """Return an expression that :func:`_spell` wrote."""
    match tree:
        case ast.Name(id=name) if name in variables:
            return variables[name]
        case ast.Constant(value=int() as value):
            return IntImm(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return IntImm(-value)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_read(left, variables), _read(right, variables))
    raise ScheduleError(
        f"an index map has {show_found(ast.unparse(tree))}; expected sums, products, quotients "
        f"and remainders of {', '.join(variables)} and of numbers"
    )


_OPERATORS: Final[Mapping[type[ast.operator], type[BinaryOpNode]]] = {
    ast.Add: Add,
    ast.Sub: Sub,
    ast.Mult: Mul,
    ast.Div: Div,
    ast.Mod: Mod,
}

VALUES.register(IndexMap, ValueForm("index_map", _to_json, _from_json, str))
