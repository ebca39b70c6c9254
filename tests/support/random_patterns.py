"""Random patterns: those of programs with parts left open, and what matches a pattern."""

from __future__ import annotations

import random
import re

import relayish as relay
from relayish.dataflow_pattern import (
    AltPattern,
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    IfPattern,
    LetPattern,
    ShapePattern,
    TupleGetItemPattern,
    TuplePattern,
    TypePattern,
    VarPattern,
    WildcardPattern,
    has_dtype,
    has_shape,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    wildcard,
)
from relayish.ir.nodes.node import Node

OTHER_OPERATORS = ("exp", "nn.relu", "tanh")


def random_pattern(rng: random.Random, expr: Node, levels: int = 4) -> DFPattern:
    """Return a pattern that ``expr`` matches, but for the operators and types it may ask for."""
    if levels == 0 or rng.random() < 0.15:
        return rng.choice((wildcard(), wildcard(), has_dtype("float32"), has_shape((2, 3))))
    found = _of_kind(rng, expr, levels)
    if rng.random() < 0.1:
        other = is_op(rng.choice(OTHER_OPERATORS))(wildcard())
        found = rng.choice((found | other, other | found, found.optional(is_op("tanh"))))
    return found


def _of_kind(rng: random.Random, expr: Node, levels: int) -> DFPattern:
    def inner(each: Node) -> DFPattern:
        return random_pattern(rng, each, levels - 1)

    match expr:
        case relay.Op():
            return ExprPattern(expr)
        case relay.Call() if not isinstance(expr.op, relay.Op):
            return CallPattern(wildcard(), None)
        case relay.Call():
            args = [inner(each) for each in expr.args]
            call = CallPattern(ExprPattern(expr.op), None if rng.random() < 0.1 else args)
            attrs = dict(expr.attrs.items()) if expr.attrs is not None else {}
            some = {name: value for name, value in attrs.items() if rng.random() < 0.3}
            return call.has_attr(some) if some else call
        case relay.Tuple():
            return is_tuple([inner(each) for each in expr.fields])
        case relay.TupleGetItem():
            return is_tuple_get_item(inner(expr.tuple_value), rng.choice((expr.index, None)))
        case relay.Constant():
            return rng.choice((is_constant(), is_expr(expr)))
        case relay.Var():
            return is_var(rng.choice((expr.name_hint, "")))
        case relay.If():
            return is_if(inner(expr.cond), inner(expr.true_branch), inner(expr.false_branch))
        case relay.Let():
            return is_let(is_var(expr.var.name_hint), inner(expr.value), inner(expr.body))
    return wildcard()


def instance(pattern: DFPattern) -> relay.Expr:
    """Return an expression that matches ``pattern``, in which no part stands twice."""
    match pattern:
        case WildcardPattern():
            return (
                relay.var("any", shape=(2, 3))
                if pattern.pattern is None
                else instance(pattern.pattern)
            )
        case ExprPattern():
            return pattern.expr
        case VarPattern():
            return relay.var(pattern.name or "v", shape=(2, 3))
        case ConstantPattern():
            return relay.const(1.5)
        case CallPattern():
            return relay.Call(instance(pattern.op), [instance(each) for each in pattern.args])
        case TuplePattern():
            return relay.Tuple([instance(each) for each in pattern.fields])
        case TupleGetItemPattern():
            return relay.TupleGetItem(instance(pattern.tuple), max(pattern.index or 0, 0))
        case IfPattern():
            parts = (pattern.cond, pattern.true_branch, pattern.false_branch)
            return relay.If(*map(instance, parts))
        case LetPattern():
            return relay.Let(*map(instance, (pattern.var, pattern.value, pattern.body)))
        case AltPattern():
            return instance(pattern.left)
        case AttrPattern():
            return instance(pattern.pattern).with_fields(attrs=pattern.attrs)
        case TypePattern():
            return relay.var("typed", pattern.type)
        case ShapePattern():
            return relay.var("shaped", shape=pattern.shape)
        case DataTypePattern():
            return relay.var("typed", shape=(2, 3), dtype=pattern.dtype)
        case DominatorPattern():
            return instance(pattern.child)
    raise AssertionError(f"no instance of {pattern}")


def follow(expr: Node, path: str) -> Node:
    """Return what stands at a place, as explanations name it: ``"args[0].tuple_value"``."""
    for field in path.split(".") if path else ():
        name, at = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", field).groups()
        held = getattr(expr, name)
        expr = held if at is None else held[int(at)]
    return expr


def mend(expr: Node, path: str, image: Node) -> Node:
    """Return ``expr`` with ``image`` at a place."""
    if not path:
        return image
    around, _, field = path.rpartition(".")
    holder = follow(expr, around)
    name, at = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", field).groups()
    value = image
    if at is not None:
        held = list(getattr(holder, name))
        held[int(at)] = image
        value = tuple(held)
    return mend(expr, around, holder.with_fields(**{name: value}))
