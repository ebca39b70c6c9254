"""Rules and patterns for programs of languages other than Relay: loops and core."""

from __future__ import annotations

import pytest

from relayish import core, tir
from relayish.dataflow_pattern import is_expr, is_node, is_op, rewrite_rules, rule, wildcard
from relayish.errors import DeclarationError, PassError
from relayish.rewriting import Unchanged, why_not
from tests.support.depth import DEPTH

A = tir.placeholder("A", (16,))
K, L = tir.Var("i"), tir.Var("j")


def copy(index, rules, **options):
    func = tir.lower("copy", [A, tir.compute((16,), lambda i: A[index(i)], "B")])
    return rewrite_rules(rules, func, **options)


def stored(func):
    return str(func).partition("B[i0] = ")[2].splitlines()[0]


def test_node_pattern_matches_operands_in_order_unless_the_kind_is_commutative():
    x = wildcard()
    negated = is_node(tir.Minus)(x)
    assert is_node(tir.Add)(x, negated).match(-K + K)
    assert not is_node(tir.Sub)(x, negated).match(-K - K)
    assert not is_node(tir.Add)(x, negated).match(-K + L)


def test_node_pattern_takes_fields_by_name_and_several_nodes_as_a_sequence():
    index = wildcard()
    load = A[K]
    assert is_node(tir.Load)(indices=[index]).match(load)
    assert not is_node(tir.Load)(indices=[index, index]).match(load)
    assert is_node(tir.Load).match(load)
    assert not is_node(tir.Add).match(load)


def test_node_pattern_of_a_field_that_the_kind_lacks_is_refused():
    with pytest.raises(DeclarationError, match=r"Add has the fields a, b; .* and c"):
        is_node(tir.Add)(c=wildcard())
    with pytest.raises(DeclarationError, match="names 3 of them"):
        is_node(tir.Add)(wildcard(), wildcard(), wildcard())


def test_operator_of_a_language_of_kinds_is_found_by_name():
    assert is_op("core.add").kind is core.Add
    assert is_op("tir::load").kind is tir.Load
    assert str(is_op("add")(wildcard(), wildcard())) == "add(*, *)"


INDEX, BOUND = wildcard(), wildcard()


@rule(is_node(tir.Min)(INDEX, BOUND))
def drop_bound(minimum, found):
    low, high = found.facts.interval(found[BOUND]).low, found.facts.interval(found[INDEX]).high
    return found[INDEX] if high <= low else Unchanged(f"{high} may be above {low}")


def test_rule_for_loops_is_told_what_is_known_where_the_node_stands():
    assert stored(copy(lambda i: tir.Min(i, tir.const(15)), [drop_bound])) == "A[i0]"
    assert stored(copy(lambda i: tir.Min(i, tir.const(14)), [drop_bound])) == "A[cinn_min(i0, 14)]"


def test_rule_for_statements_of_loops_is_applied_where_they_stand():
    @rule(tir.Store)
    def once(store, facts):
        return store.with_fields(value=tir.const(0.0)) if store.tensor.name == "B" else store

    assert stored(copy(lambda i: i, [once], again=False)) == "0.00000000f"


def test_rule_for_loops_that_changes_a_type_is_refused():
    @rule(is_node(tir.Load))
    def as_integer(load, found):
        return tir.const(1)

    with pytest.raises(PassError, match="rule as_integer returned 1, of type int32"):
        copy(lambda i: i, [as_integer])


def test_order_is_not_kept_where_nothing_tells_what_acts():
    with pytest.raises(PassError, match=r"asks facts\.removable"):
        copy(lambda i: i, [], keep_order=True)
    with pytest.raises(PassError, match="of Add nothing is known"):
        rewrite_rules([], K + L, keep_order=True)


def test_equal_trees_are_one_operand_of_a_language_of_trees():
    x = wildcard()

    @rule(is_op("core.add")(x, x))
    def double(total, found):
        return core.Shl(found[x], core.const(1, total.type))

    scope = core.GlobalScope()
    with scope.function("f", {"n": "int32", "m": "int32"}, "int32") as f:
        f.retv((f.n + f.n) + (f.n + f.m))
    assert "retv(add(shl(ld(%n), 1), add(ld(%n), ld(%m))))" in str(
        rewrite_rules([double], scope.module()["f"])
    )


@pytest.mark.deep
def test_rules_for_other_languages_go_as_deep_as_expressions():
    x = wildcard()

    @rule(is_node(tir.Minus)(is_node(tir.Minus)(x)))
    def double_minus(minus, found):
        return found[x]

    expr = K
    for _ in range(DEPTH // 2 * 2):
        expr = tir.Minus(expr)
    assert rewrite_rules([double_minus], expr) is K


def test_literal_in_a_pattern_is_compared_with_its_type():
    zero = is_expr(tir.const(0))
    x = wildcard()

    @rule(is_node(tir.Add)(x, zero))
    def add_zero(total, found):
        return found[x]

    assert rewrite_rules([add_zero], K + 0) is K
    wide = tir.Var("k", tir.Int(64)) + 0
    assert rewrite_rules([add_zero], wide) is wide


@pytest.mark.parametrize(
    ("kind", "image", "told"),
    [
        (tir.Store, lambda _: tir.const(0), r"returned 0 \(IntImm\) for B\[i0\] = .* a statement"),
        (tir.For, lambda loop: loop.loop_var, "must return a statement"),
        (
            tir.Store,
            lambda _: None,
            "returned None for B.* must return a statement, the one it was",
        ),
        (tir.LoweredFunc, lambda _: None, "returned None for function copy"),
    ],
)
def test_rule_for_loops_puts_statements_in_the_place_of_statements(kind, image, told):
    @rule(kind)
    def change(node, _):
        return image(node)

    with pytest.raises(PassError, match=told) as caught:
        copy(lambda i: i, [change], again=False)
    assert "by rule change" in caught.value.__notes__[0]


def test_rule_for_functions_of_loops_is_asked_about_the_function():
    @rule(tir.LoweredFunc)
    def rename(func, _):
        return func.with_fields(name="other") if func.name == "copy" else func

    assert copy(lambda i: i, [rename]).name == "other"


def test_rules_for_loops_that_go_on_are_refused_and_asked_once_if_told_so():
    @rule(tir.Store)
    def twice(store, _):
        return tir.Block((store, store))

    @rule(tir.Store)
    def anew(store, _):
        return tir.Store(store.tensor, store.value, store.indices)

    with pytest.raises(PassError, match=r"made of copy, .* one of \d+, twice the last of them"):
        copy(lambda i: i, [twice])
    with pytest.raises(PassError, match=r"after 100 walks, anew the last .*again=False"):
        copy(lambda i: i, [anew])
    assert str(copy(lambda i: i, [twice], again=False)).count("B[i0] = A[i0]") == 2


def test_rule_for_loops_may_be_applied_as_often_as_it_takes():
    @rule(tir.Store)
    def several(store, _):
        values = [tir.const(float(value)) for value in range(20)]
        return tir.Block(tuple([store.with_fields(value=value) for value in values]))

    @rule(tir.Block)
    def drop_first(block, _):
        are_stores = all(isinstance(stmt, tir.Store) for stmt in block.stmts)
        return tir.Block(block.stmts[1:]) if are_stores and len(block.stmts) > 1 else block

    many = copy(lambda i: i, [several], again=False)
    assert stored(rewrite_rules([drop_first], many)) == "19.0000000f"


def test_statement_is_deleted_by_an_empty_block():
    @rule(tir.Store)
    def delete(store, _):
        return tir.Block(())

    assert "B[i0] =" not in str(copy(lambda i: i, [delete]))


def test_rule_for_loops_asks_about_a_part_by_itself_what_it_does_within_a_function():
    assert str(why_not(drop_bound, tir.Min(K, tir.const(15)))).endswith(
        "2147483647 may be above 15"
    )
    within = tir.Min(tir.Mod(K, tir.const(4)), tir.const(15))
    assert rewrite_rules([drop_bound], within) is within.a
    assert not why_not(drop_bound, within)


@pytest.mark.parametrize("root", [tir.Minus(K), tir.Block((tir.Store(A, tir.Minus(K), (K,)),))])
def test_rule_for_a_part_of_loops_keeps_types_and_statements(root):
    @rule(tir.Minus)
    def as_float(minus, _):
        return tir.const(1.0)

    @rule(tir.Store)
    def as_value(store, _):
        return store.value

    rules = [as_float] if isinstance(root, tir.Minus) else [as_value]
    with pytest.raises(PassError, match=r"must return an expression of that type|a statement"):
        rewrite_rules(rules, root)


def test_module_of_loops_is_refused():
    func = copy(lambda i: i, [])
    with pytest.raises(PassError, match=r"module 'm'; give its functions, one by one"):
        rewrite_rules([], tir.Module("m", functions=(func,)))


@pytest.mark.parametrize(
    ("kind", "image", "told"),
    [
        (core.Add, lambda _: core.const(1, "int64"), "returned 1, of type int64, for add"),
        (core.Add, lambda _: K, "of type int32; it must return an expression of that type"),
        (core.Retv, lambda retv: retv.value, r"\(Add\) for retv.*; it must return a statement"),
    ],
)
def test_rule_for_core_keeps_types_and_statements(kind, image, told):
    @rule(kind)
    def change(node, _):
        return image(node)

    scope = core.GlobalScope()
    with scope.function("f", {"n": "int32"}, "int32") as f:
        f.retv(f.n + f.n)
    with pytest.raises(PassError, match=told):
        rewrite_rules([change], scope.module()["f"])
