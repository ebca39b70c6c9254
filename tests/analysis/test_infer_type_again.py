"""What type inference leaves alone: what carries types, and functions nothing has changed."""

from __future__ import annotations

import pytest

from relayish.analysis import infer_type
from relayish.analysis.infer_type.inferencer import Inferencer
from relayish.errors import TypeInferenceError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Constant, Function, If, Let, Tuple, Var
from relayish.ir.relay.type import scalar_type
from relayish.passes import erase_type
from relayish.text import astext, parse
from tests.support.random_exprs import call

INT, FLOAT = scalar_type("int32"), scalar_type("float32")
CHAIN = """#[version = "0.0.5"]
def @main(%x: int32) { @middle(@other(%x)) }
def @middle(%x: int32) { @last(%x) }
def @last(%x: int32) { add(%x, 1) }
def @other(%x: int32) { %x }
"""
CYCLE = """#[version = "0.0.5"]
def @even(%n: int32) { if (less(%n, 1)) { True } else { @odd(subtract(%n, 1)) } }
def @odd(%n: int32) { if (less(%n, 1)) { False } else { @even(subtract(%n, 1)) } }
def @main() { @even(3) }
"""


@pytest.fixture
def inferred(monkeypatch):
    """Collects what is looked at: the functions, in order."""
    seen = []
    infer = Inferencer.infer

    def noted(self, root):
        seen.append(root)
        infer(self, root)

    monkeypatch.setattr(Inferencer, "infer", noted)
    return seen


@pytest.fixture
def mod():
    return infer_type(parse(CHAIN))


def visits(expr, mod=None, *, fresh=False, monkeypatch):
    """Return how many nodes get a type when ``expr`` is inferred."""
    count = 0
    infer = Inferencer.infer

    def counted(self, root):
        nonlocal count
        before = len(self.types)
        infer(self, root)
        count += len(self.types) - before

    with monkeypatch.context() as patch:
        patch.setattr(Inferencer, "infer", counted)
        infer_type(expr, mod, fresh=fresh)
    return count


def test_typed_module_is_not_looked_at(mod, inferred):
    assert infer_type(mod) is mod
    assert inferred == []


def test_typed_expression_is_not_looked_at(inferred):
    typed = infer_type(Tuple((Constant(1), Constant(2))))
    inferred.clear()
    assert infer_type(typed) is typed
    assert inferred == []


def test_fresh_inference_looks_at_all_and_changes_nothing(mod, inferred):
    assert infer_type(mod, fresh=True) is mod
    assert len(inferred) == len(mod)


def test_only_the_changed_function_is_looked_at_where_its_type_stays(mod, inferred):
    x = Var("x", INT)
    changed = mod.with_function("last", Function((x,), call("multiply", x, x)))
    typed = infer_type(changed)
    assert inferred == [changed["last"]]
    assert all(typed[name] is mod[name] for name in ("main", "middle", "other"))


def test_callers_are_looked_at_as_far_as_types_change(inferred):
    text = CHAIN.replace("{ @last(%x) }", "{ (@last(%x), %x).1 }")
    mod = infer_type(parse(text))
    inferred.clear()
    x = Var("x", INT)
    changed = mod.with_function("last", Function((x,), call("cast", x, dtype="float32")))
    typed = infer_type(changed)
    assert inferred[:2] == [changed[name] for name in ("last", "middle")]
    assert set(inferred[2:]) <= {changed["middle"]}
    assert typed["other"] is mod["other"]
    assert typed["main"] is mod["main"]
    assert structural_equal(typed["middle"].body.tuple_value.fields[0].checked_type, FLOAT)


def test_result_that_was_found_is_demanded_from_then_on(mod):
    x = Var("x", INT)
    changed = mod.with_function("last", Function((x,), call("cast", x, dtype="float32")))
    with pytest.raises(TypeInferenceError, match="expected int32, found float32"):
        infer_type(changed)


def test_callers_keep_their_result_where_only_an_argument_changes_its_kind_within(mod, inferred):
    x = Var("x", INT)
    through = Function((x,), call("cast", call("cast", x, dtype="int64"), dtype="int32"))
    typed = infer_type(mod.with_function("other", through))
    assert len(inferred) == 1
    assert typed["main"] is mod["main"]


def test_function_that_is_new_is_looked_at_alone(mod, inferred):
    y = Var("y", INT)
    added = mod.with_function("new", Function((y,), Call(mod.get_global_var("main"), (y,))))
    typed = infer_type(added)
    assert inferred == [added["new"]]
    assert all(typed[name] is mod[name] for name in ("main", "middle", "last", "other"))


def test_changed_member_of_a_cycle_is_looked_at_alone_where_its_type_stays(inferred):
    mod = infer_type(parse(CYCLE))
    inferred.clear()
    n = Var("n", INT)
    changed = mod.with_function("odd", Function((n,), Call(mod.get_global_var("even"), (n,))))
    typed = infer_type(changed)
    assert inferred == [changed["odd"]]
    assert typed["even"] is mod["even"]
    assert typed["main"] is mod["main"]


def test_function_used_as_a_value_has_its_users_looked_at():
    text = '#[version = "0.0.5"]\ndef @main() { (@f, 1).1 }\ndef @f(%x: int32) { %x }'
    mod = infer_type(parse(text))
    x = Var("x", INT)
    typed = infer_type(mod.with_function("f", Function((x,), Tuple((x,)))))
    used = typed["main"].body.tuple_value
    assert astext(used.checked_type) == "(fn (int32) -> (int32,), int32)"


def test_parts_that_carry_types_keep_their_objects():
    x = Var("x", FLOAT)
    inner = infer_type(call("exp", x))
    part = inner.args[0]
    typed = infer_type(Function((part,), Tuple((inner, call("add", inner, inner)))))
    assert typed.body.fields[0] is inner
    assert typed.body.fields[1].args[0] is inner
    assert typed.params[0] is part


def test_parts_that_carry_types_are_not_entered(monkeypatch):
    x = Var("x", FLOAT)
    long = x
    for _ in range(50):
        long = call("exp", long)
    typed = infer_type(long)
    again = Tuple((typed, typed))
    assert visits(again, monkeypatch=monkeypatch) == 2
    assert visits(again, fresh=True, monkeypatch=monkeypatch) == 52


def test_variable_that_gets_another_type_is_looked_up_everywhere():
    x = Var("x", FLOAT)
    typed = infer_type(Function((x,), call("exp", x)))
    (param,), body = typed.params, typed.body
    wider = Var("y", INT)
    changed = Function((wider,), Let(param, call("cast", wider, dtype="float32"), body))
    assert infer_type(changed).body.body is body


@pytest.mark.parametrize("text", [CHAIN, CYCLE])
def test_erased_module_gets_the_same_types_again(text):
    mod = infer_type(parse(text))
    erased = mod.with_functions({name: erase_type(f) for name, f in mod.functions.items()})
    assert erased["main"].checked_type is None
    assert astext(infer_type(erased)) == astext(mod)


def test_shared_expression_is_looked_at_once(monkeypatch):
    x = Var("x", FLOAT)
    expr = x
    for _ in range(100):
        expr = call("add", expr, expr)
    assert visits(expr, monkeypatch=monkeypatch) == 101


def test_changed_branch_is_typed_beside_one_that_carries_types():
    x = Var("x", FLOAT)
    typed = infer_type(call("exp", x))
    kept = typed.args[0]
    branch = infer_type(If(Constant(True), typed, call("tanh", kept)))
    assert branch.true_branch is typed
    assert branch.false_branch.args[0] is kept


BAD = """#[version = "0.0.5"]
def @bad(%x: int32) -> int32 { add(%x, 1f) }
def @good(%x: int32) -> int32 { %x }
"""


@pytest.mark.parametrize(
    "main",
    [
        "match ((@good(%x), @bad(%x))) { (%a: int32, %b) => { (%a, %b) } }",
        "let %y = add(@bad(%x), 1); match ((@good(%x), %x)) { (%a: int32, _) => { (%a, %y) } }",
        "let %f = fn (%y) { (%y, @bad(%x)) }; %f(@bad(%x))",
        "@bad(%x).0",
        "if (@bad(%x)) { @bad(%x) } else { 1 }",
        "let %r = ref(@bad(%x)); let %s = ref_write(%r, 2f); ref_read(%r)",
    ],
)
def test_nothing_follows_from_the_errors_of_a_function_that_is_used(main):
    with pytest.raises(TypeInferenceError) as raised:
        infer_type(parse(f"{BAD}def @main(%x: int32) {{ {main} }}"))
    assert [found.definition for found in raised.value.diagnostics] == ["@bad"]
