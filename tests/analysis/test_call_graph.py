from __future__ import annotations

import pytest

from relayish.analysis import CallGraph
from relayish.errors import FieldError, UnknownNameError
from relayish.ir.relay.expr import Call, Constant, Function, GlobalVar, If, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.text import parse
from tests.support.deep import DEEP_NESTS
from tests.support.depth import DEPTH
from tests.support.each import each

add = intern_op("add")


def graph(text: str) -> CallGraph:
    return CallGraph(parse('#[version = "0.0.5"]\n' + text))


def test_counts_are_of_places_that_refer_to_a_function():
    f, g, x = GlobalVar("f"), GlobalVar("g"), Var("x")
    call = Call(f, (x,))
    body = Tuple((call, call, Call(f, (call,)), f, g))
    functions = {f: Function((x,), x), g: Function((x,), Call(f, (x,)))}
    found = CallGraph(IRModule({**functions, "main": Function((x,), body)}))
    assert found["main"].callees == {"f": 3, "g": 1}
    assert found.ref_count("f") == 4
    assert found["f"].callers == {"g": 1, "main": 3}
    assert found.global_call_count("main") == found["main"].global_call_count == 4
    assert (found["main"].size, len(found["main"])) == (2, 2)


def test_two_nodes_of_one_name_are_one_function():
    f, x = GlobalVar("f"), Var("x")
    body = Call(GlobalVar("f"), (Call(GlobalVar("f"), (x,)),))
    found = CallGraph(IRModule({f: Function((x,), x), "main": Function((x,), body)}))
    assert found["main"].callees == {"f": 2}
    assert found[GlobalVar("f")] is found["f"]


def test_recursion_is_told_whether_direct_or_mutual():
    found = graph("""
        def @main(%x: int32) -> int32 { @even(%x) }
        def @even(%x: int32) -> int32 { if (equal(%x, 0)) { 1 } else { @odd(%x) } }
        def @odd(%x: int32) -> int32 { @even(subtract(%x, 1)) }
        def @self(%x: int32) -> int32 { if (equal(%x, 0)) { 1 } else { @self(%x) } }
        def @plain(%x: int32) -> int32 { %x }
    """)
    assert [entry.name for entry in found if entry.is_recursive] == ["even", "odd", "self"]
    assert found.is_recursive("odd")
    assert found["plain"].empty
    assert not found["self"].empty


def test_callees_come_before_callers():
    found = graph("""
        def @main(%x: int32) -> int32 { @a(@b(%x)) }
        def @a(%x: int32) -> int32 { @c(%x) }
        def @b(%x: int32) -> int32 { @c(%x) }
        def @c(%x: int32) -> int32 { %x }
    """)
    names = [entry.name for entry in found.topological_order()]
    assert names == ["c", "a", "b", "main"]
    assert found.groups() == (("c",), ("a",), ("b",), ("main",))


def test_roots_reach_everything():
    found = graph("""
        def @main(%x: int32) -> int32 { @a(%x) }
        def @a(%x: int32) -> int32 { %x }
        def @even(%x: int32) -> int32 { @odd(%x) }
        def @odd(%x: int32) -> int32 { @even(%x) }
        def @alone(%x: int32) -> int32 { @alone(%x) }
    """)
    roots = [entry.name for entry in found.roots()]
    assert roots == ["alone", "even", "main"]
    assert found.reachable(roots) == {"main", "a", "even", "odd", "alone"}
    assert found.reachable(["main"]) == {"main", "a"}


def test_names_the_module_does_not_define_stand_apart():
    x = Var("x")
    found = CallGraph(IRModule({"main": Function((x,), Call(GlobalVar("gone"), (x,)))}))
    assert found["main"].undefined == ("gone",)
    assert found["main"].empty


def test_an_expression_is_looked_at_as_main():
    assert CallGraph(Constant(1))["main"].ref_count == 0


def test_a_definition_may_be_another_name():
    x, f = Var("x"), GlobalVar("f")
    found = CallGraph(IRModule({f: Function((x,), x), "main": f}))
    assert found["main"].callees == {"f": 1}


def test_text_shows_references():
    found = graph("""
        def @main(%x: int32) -> int32 { @f(@f(%x)) }
        def @f(%x: int32) -> int32 { %x }
    """)
    assert str(found) == (
        "CallGraph:\n"
        "Call graph node: main,  #refs = 0\n"
        "  call site: <main> calls f\n"
        "  call site: <main> calls f\n"
        "\n"
        "Call graph node: f,  #refs = 2\n"
    )
    assert found.print_var("f") == "Call graph node: f,  #refs = 2\n"


def test_an_unknown_function_is_an_error_with_a_suggestion():
    with pytest.raises(UnknownNameError, match=r"no function @mian.*main"):
        graph("def @main(%x: int32) -> int32 { %x }").ref_count("mian")


def test_what_is_no_module_is_refused():
    with pytest.raises(FieldError, match="made of an IRModule; found 'main'"):
        CallGraph("main")  # type: ignore[arg-type]


@pytest.mark.deep
@each("nest", DEEP_NESTS.values())
def test_deep_functions_are_looked_at(nest):
    f = GlobalVar("f")
    main = Function((), nest(DEPTH, If(Constant(data=True), f, f)))
    found = CallGraph(IRModule({f: Function((), Constant(1)), "main": main}))
    assert found.ref_count(f) == 2


def test_a_long_chain_of_functions_is_ordered():
    x = Var("x")
    names = [GlobalVar(f"f{index}") for index in range(10_000)]
    functions = {
        name: Function((x,), Call(names[index + 1], (x,)) if index + 1 < len(names) else x)
        for index, name in enumerate(names)
    }
    found = CallGraph(IRModule(functions))
    order = [entry.global_var for entry in found.topological_order()]
    assert order == names[::-1]
    assert [entry.name for entry in found.roots()] == ["f0"]
