"""Expressions, under the names of ``tvm.relay.expr``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.ir.attrs import Attrs
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.span import Span
from relayish.op.builders.outputs import TupleWrapper
from relayish.passes.fold.bind import bind

RelayExpr = Expr
"""TVM has the root of expressions in ``tvm.ir`` under this name."""

__all__ = [
    "Attrs",
    "Call",
    "Constant",
    "Expr",
    "Function",
    "GlobalVar",
    "If",
    "Let",
    "Op",
    "RefCreate",
    "RefRead",
    "RefWrite",
    "RelayExpr",
    "Span",
    "Tuple",
    "TupleGetItem",
    "TupleWrapper",
    "Var",
    "bind",
    "const",
    "var",
]

set_finder(__name__)
