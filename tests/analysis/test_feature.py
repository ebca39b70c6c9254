from __future__ import annotations

import pytest

from relayish.analysis import Feature, detect_feature
from relayish.errors import DispatchError
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Function, If, Let, Op, RefCreate, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.prelude import Prelude
from relayish.text import parse
from tests.support.deep import call_chain, doublings, if_true, let_body, match_clause
from tests.support.depth import DEPTH

HEADER = '#[version = "0.0.5"]\n'
add = intern_op("add")
x, y, f = Var("x"), Var("y"), Var("f")


def names(program: object) -> set[str]:
    return {feature.name for feature in detect_feature(program)}  # type: ignore[arg-type]


def test_features_have_the_numbers_of_relay():
    assert [feature.name for feature in Feature] == str.split(
        "fVar fGlobalVar fConstant fTuple fTupleGetItem fFunction fOp fCall fLet fIf fRefCreate "
        "fRefRead fRefWrite fConstructor fMatch fGraph fLetRec"
    )
    assert [int(feature) for feature in Feature] == list(range(17))


def test_a_program_of_every_kind_of_node_has_every_feature_but_sharing():
    mod = parse(
        HEADER
        + """
        type List[A] { Cons(A, List[A]), Nil }
        def @main(%xs: List[int32], %r: ref(int32)) {
          let %loop = fn (%n: int32) -> int32 { if (less(%n, 1)) { %n } else { %loop(%n) } };
          let %u = ref_write(ref(2), ref_read(%r));
          match (%xs) { Cons(%x, _) => { (%x, @main).0 }, Nil => { Cons } }
        }
        """
    )
    assert names(mod) == {feature.name for feature in Feature} - {"fGraph"}


def test_a_shared_call_makes_a_graph_and_a_shared_leaf_does_not():
    call = Call(add, (x, x))
    assert "fGraph" not in names(call)
    assert "fGraph" in names(Tuple((call, call)))


def test_a_let_is_recursive_when_its_value_refers_to_it():
    inner = Function((x,), Call(f, (x,)))
    assert "fLetRec" in names(Let(f, inner, f))
    assert "fLetRec" not in names(Let(f, Function((x,), x), Call(f, (f,))))
    assert "fLetRec" in names(Tuple((y, Let(y, y, Let(f, If(y, inner, inner), f)))))


def test_a_primitive_function_is_no_function():
    mod = parse(HEADER + "def @main(%x: int32, Primitive=1) { add(%x, 1) }")
    assert names(mod["main"]) == {"fVar", "fCall", "fOp", "fConstant"}
    assert "fFunction" in names(Function((), mod["main"]))


def test_two_programs_have_the_features_of_both():
    assert detect_feature(x, IRModule({"main": Function((), Constant(1))})) == {
        Feature.fVar,
        Feature.fFunction,
        Feature.fConstant,
    }
    assert detect_feature(None, RefCreate(x)) == {Feature.fRefCreate, Feature.fVar}


def test_the_prelude_uses_no_references():
    mod = IRModule()
    found = names(Prelude(mod).mod)
    assert {"fMatch", "fConstructor", "fGlobalVar"} <= found
    assert not {"fRefCreate", "fRefRead", "fRefWrite"} & found


def test_sharing_costs_nothing():
    assert "fGraph" in names(doublings(100))


@pytest.mark.deep
@pytest.mark.parametrize("nest", [call_chain, let_body, if_true, match_clause])
def test_deep_programs_are_looked_at(nest):
    leaf: Node = Op("tanh")
    assert "fOp" in names(nest(DEPTH, leaf))


def test_what_has_no_features_is_refused() -> None:
    with pytest.raises(DispatchError, match="an expression or a module; found 3"):
        detect_feature(3)  # type: ignore[arg-type]
