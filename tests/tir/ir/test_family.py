"""The class tree of the loop IR is CINN's, and what a node has a value or is run is told by it."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import DeclarationError
from tests.support.each import each
from tests.support.tir_kinds import CINN_KINDS, INTRINSICS, KINDS, OPERATIONS

BINARY = (
    *(tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Mod, tir.Min, tir.Max, tir.EQ, tir.NE, tir.LT),
    *(tir.LE, tir.GT, tir.GE, tir.And, tir.Or, tir.FracOp),
)
STATEMENTS = (
    *(tir.Let, tir.Store, tir.Alloc, tir.Free, tir.IfThenElse, tir.For, tir.PolyFor, tir.Block),
    *(tir.ScheduleBlock, tir.ScheduleBlockRealize),
)
BOTH = (tir.Call, tir.PrimitiveNode, *INTRINSICS)
NEITHER = (tir.LoweredFunc, tir.Module, tir.ArgumentGroup, *OPERATIONS)


def test_a_node_is_an_expression_a_function_or_an_intrinsic():
    assert {kind for kind in KINDS if issubclass(kind, tir.ExprNode)} == set(CINN_KINDS)
    assert {kind for kind in KINDS if issubclass(kind, tir.FunctionBase)} == set(OPERATIONS)
    assert {kind for kind in KINDS if issubclass(kind, tir.IntrinsicOp)} == set(INTRINSICS)


def test_operations_are_all_that_functions_are():
    assert {kind for kind in KINDS if issubclass(kind, tir.Operation)} == set(OPERATIONS)


def test_operators_of_one_and_of_two_operands_are_cinn_s():
    assert {k for k in KINDS if issubclass(k, tir.UnaryOpNode)} == {tir.Minus, tir.Not}
    assert {k for k in KINDS if issubclass(k, tir.BinaryOpNode)} == set(BINARY)


def test_comparisons_and_connectives_give_truth_values():
    compared = {tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE}
    assert {k for k in KINDS if issubclass(k, tir.ComparisonNode)} == compared
    assert {k for k in KINDS if issubclass(k, tir.PredicateNode)} == {*compared, tir.And, tir.Or}


def test_every_kind_is_an_expression_a_statement_both_or_neither():
    statements = {kind for kind in KINDS if issubclass(kind, tir.Stmt)}
    expressions = {kind for kind in KINDS if issubclass(kind, tir.Expr)}
    assert statements == {*STATEMENTS, *BOTH}
    assert statements & expressions == set(BOTH)
    assert set(KINDS) - statements - expressions == set(NEITHER)


@each("kind", KINDS)
def test_every_node_is_an_ir_node_of_the_language(kind):
    assert issubclass(kind, tir.IrNode)
    assert kind.language_ is tir.TIR


@each("kind", KINDS)
def test_every_kind_is_declared_with_its_effect(kind):
    assert kind.traits_.is_pure or kind.traits_.effect or kind in (tir.Call, tir.PrimitiveNode)


@each("family", [tir.Expr, tir.Stmt, tir.ExprNode, tir.Operation, tir.IntrinsicOp, tir.Parameter])
def test_families_have_no_instances(family):
    with pytest.raises(DeclarationError, match="is no kind of node"):
        family()
