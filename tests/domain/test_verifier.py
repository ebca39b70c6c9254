"""The verifier accepts sound programs of all domains, and says all that is wrong with others."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

import pytest

import relayish as relay
from relayish import core, tir
from relayish.domain import Handler, assemble, check, register_handler, verify
from relayish.domain.verifier import Rule, VerifyCtx
from relayish.errors import FieldError, VerificationError
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.nodes.span import Span
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Expr, Function, Let
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from tests.support.corruptions import CORRUPTIONS as RELAY_CORRUPTIONS
from tests.support.corruptions import corrupted as corrupted_relay
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.mixed_programs import DECLARED as MIXED
from tests.support.mixed_programs import random_mixed_module
from tests.support.random_exprs import random_module
from tests.support.seeds import many, seeds
from tests.support.tir_corruptions import CORRUPTIONS as LOOP_CORRUPTIONS
from tests.support.tir_corruptions import corrupted as corrupted_loops
from tests.support.tir_programs import random_func

SEEDS = seeds(8)
EACH = many(6, soak=1)  # of the corruptions, which the verifiers of languages try all

DECLARED = declared_temporarily()
with DECLARED:
    relay.Domain("marking")

    @node("note", effect=relay.Effect.NONE, domain="marking")
    class Note(core.Expr):
        """A value with a note; notes are not empty."""

        value: core.Expr
        text: str = ""

        derive_type = attrgetter("value.type")

    @node("noted", effect=relay.Effect.NONE, domain="marking")
    class Noted(Expr):
        """The same among Relay's."""

        value: Expr
        text: str = ""

    @node("goto", properties=relay.Property.NON_SCF, domain="marking", effect=relay.Effect.STATE)
    class Goto(core.Stmt):
        """Go to a label."""

        label: str

    @node("label", domain="marking", effect=relay.Effect.STATE)
    class Label(core.Stmt):
        """Where one may go to."""

        label: str

    @node("effect", domain="marking", effect=relay.Effect.STATE)
    class Wrapped(core.Stmt):
        """A statement with one as its operand, which no statement is."""

        inner: Node

    @node("list", domain="marking", effect=relay.Effect.STATE)
    class StmtList(core.Stmt):
        """A block of a package's own, which says nothing of what it holds."""

        stmts: tuple[core.CoreNode, ...] = field(default=(), scope=Runs.ONCE, block=True)

    class VerifyMarks(Handler, domain="marking"):
        """Notes are not empty; marks may stand anywhere."""

        def handle_note(self, visitor: Any, note: Any) -> None:
            if not note.text:
                visitor.context.report(note, f"a note of {note.value.type} is empty")

        def handle_noted(self, visitor: Any, noted: Any) -> None:
            if not noted.text:
                inside = visitor.context.parent(1)
                visitor.context.report(noted, f"empty in a {type(inside).__name__}")

        def any_operator(self, visitor: Any, node: Any) -> None:
            pass

    register_handler("verify", VerifyMarks)
    relay.analysis.TYPE_RULES.register(Noted, lambda noted, infer: infer.type_of(noted.value))

_kinds = known_in_tests(DECLARED, MIXED)

X = relay.var("x", shape=(3,))
Y = relay.var("y", shape=(4,))
ONE = core.const(1)
S = core.Var("s")


def main(body: Expr, *params: Expr) -> IRModule:
    return IRModule({"main": Function(params or (X,), body)})


def entry(*stmts: core.Stmt) -> IRModule:
    return IRModule().with_function("main", core.FuncEntry((), (S,), (), core.Block(stmts)))


def unchecked(of: Node, **changes: object) -> Any:
    """Return a node of a test's own, with fields put into it that its class would refuse."""
    for name, value in changes.items():
        object.__setattr__(of, name, value)
    return of


BROKEN: dict[str, tuple[Callable[[], IRModule], Rule, str]] = {
    "family: a statement among operands": (
        lambda: entry(core.St(S, unchecked(ONE + ONE, a=core.Ret()))),
        Rule.FAMILY,
        "Add.a holds a Ret",
    ),
    "family: nothing in a field": (
        lambda: main(unchecked(relay.add(X, X), op=None)),
        Rule.FAMILY,
        "Call.op holds None",
    ),
    "family: a list of nodes": (
        lambda: main(unchecked(relay.Tuple([X]), fields=[X])),
        Rule.FAMILY,
        "Tuple.fields holds [",
    ),
    "family: a type among expressions": (
        lambda: main(unchecked(relay.Tuple([X]), fields=(X, relay.TensorType((3,))))),
        Rule.FAMILY,
        "among others",
    ),
    "family: a string for a block": (
        lambda: entry(unchecked(core.If(core.Lt(ONE, ONE), core.Block()), then_block="then")),
        Rule.FAMILY,
        "If.then_block holds 'then'",
    ),
    "derived: a stale type": (
        lambda: entry(core.St(S, unchecked(ONE + ONE, type=core.as_type("float32")))),
        Rule.DERIVED,
        "carries the type float32, but has the type int32",
    ),
    "operator: not declared": (
        lambda: main(Call(intern_op("marking", "nowhere"), [X])),
        Rule.OPERATOR,
        "calls what nobody declared",
    ),
    "children: too few": (
        lambda: main(Call(relay.get_op("add"), [X])),
        Rule.CHILDREN,
        "has 1 children; 'add' of domain 'relay' is declared with 2",
    ),
    "children: too many, of a family": (
        lambda: main(Call(relay.get_op("nn.relu"), [X, X])),
        Rule.CHILDREN,
        "'relu' of domain 'nn' is declared with 1",
    ),
    "place: a statement as an operand": (
        lambda: entry(Wrapped(core.Ret())),
        Rule.PLACE,
        "is a statement and stands as an operand, inner of",
    ),
    "place: a definition without a value as an operand": (
        lambda: entry(Wrapped(core.GlobalVariable("int32"))),
        Rule.PLACE,
        "has no value and stands as an operand",
    ),
    "place: an expression in a block": (
        lambda: entry(StmtList((ONE,))),
        Rule.PLACE,
        "is no statement and stands in a block",
    ),
    "unreachable: behind a return": (
        lambda: entry(StmtList((core.Ret(), core.St(S, ONE)))),
        Rule.UNREACHABLE,
        "behind ret(), which ends it, and never runs",
    ),
    "symbol: a function that is not there": (
        lambda: main(Call(relay.GlobalVar("missing"), [X])),
        Rule.SYMBOL,
        "the module defines no @missing",
    ),
    "label: twice": (
        lambda: entry(Label("a"), Label("a")),
        Rule.LABEL,
        "the label 'a'",
    ),
    "label: nowhere": (
        lambda: entry(Goto("a")),
        Rule.LABEL,
        "goes to the label 'a', which stands nowhere",
    ),
    "scope: bound twice": (
        lambda: main(Let(Y, X, Let(Y, X, Y))),
        Rule.SCOPE,
        "variable %y is bound twice",
    ),
    "scope: used outside": (
        lambda: main(relay.Tuple([Let(Y, X, Y), Y])),
        Rule.SCOPE,
        "outside the scope of its binder",
    ),
    "scope: bound by nothing": (
        lambda: main(relay.exp(Y)),
        Rule.SCOPE,
        "@main uses %y, which nothing binds",
    ),
    "type: sizes that differ": (
        lambda: main(relay.add(X, Y), X, Y),
        Rule.TYPE,
        "cannot broadcast (3,) with (4,)",
    ),
    "type: a stale one": (
        lambda: main(relay.exp(X).with_fields(checked_type=relay.TensorType((9,)))),
        Rule.TYPE,
        "carries the type Tensor[(9), float32]",
    ),
    "handler: of a package, in a function of core": (
        lambda: entry(core.St(S, Note(ONE))),
        Rule.HANDLER,
        "a note of int32 is empty",
    ),
    "handler: of a package, in a function of Relay": (
        lambda: main(Noted(X)),
        Rule.HANDLER,
        "empty in a Function",
    ),
}


@each("name", BROKEN)
def test_verifier_says_what_is_wrong_with(name: str) -> None:
    make, rule, said = BROKEN[name]
    found = verify(make())
    assert any(each.rule is rule and said in each.message for each in found), found
    assert all(each.definition == "main" for each in found)


def test_every_common_rule_is_broken_here() -> None:
    assert {rule for _, rule, _ in BROKEN.values()} == set(Rule)


@each("name", BROKEN)
def test_broken_definition_does_not_hide_what_is_wrong_with_others(name: str) -> None:
    mod = BROKEN[name][0]().with_function("zz", Function((X,), relay.exp(relay.var("free"))))
    assert {each.definition for each in verify(mod)} == {"main", "zz"}


@each("seed", SEEDS)
def test_sound_program_of_mixed_domains_is_accepted(seed: int) -> None:
    assert verify(random_mixed_module(seed)) == ()


@pytest.mark.parametrize("name", sorted(RELAY_CORRUPTIONS)[::EACH])
def test_corruption_of_relay_is_found_among_other_languages(name: str) -> None:
    tried = 0
    for seed in seeds(24):
        typed = relay.transform.InferType()(random_module(seed, 40))
        wrong = corrupted_relay(typed, name, seed)
        if wrong is not None:
            tried += 1
            assert verify(wrong.with_function("t_loops", random_func(seed))), seed
        if tried == 2:
            return
    assert tried


@cache
def mixed_module() -> IRModule:
    return random_mixed_module(SEEDS[0], 4)


@pytest.mark.parametrize("name", sorted(LOOP_CORRUPTIONS)[::EACH])
def test_corruption_of_loops_is_found_among_other_languages(name: str) -> None:
    for seed in seeds(60):
        wrong = corrupted_loops(random_func(seed, size=16), name, seed)
        if wrong is not None:
            mod = mixed_module().with_function("t_main", wrong)
            found = verify(mod)
            assert LOOP_CORRUPTIONS[name][0] in {each.rule for each in found}
            assert {each.definition for each in found} == {"t_main"}
            return
    pytest.fail("no program has what the corruption breaks")


def test_function_that_says_too_much_of_its_arguments_is_refused_where_relay_calls_it() -> None:
    a = tir.Buffer("_A", (4,))
    wrong = tir.LoweredFunc("t", (a,), tir.Block(()), args_io=(tir.ArgumentIO.INPUT,) * 2)
    mod = main(Call(relay.GlobalVar("t"), [X])).with_function("t", wrong)
    assert "args_io" in verify(mod)[-1].message


def test_violations_come_in_order_of_definitions_and_of_the_program() -> None:
    first, second = relay.add(X, relay.var("a")), relay.add(X, relay.var("b"))
    mod = IRModule({"b": Function((X,), second), "a": Function((X,), first)})
    assert [each.definition for each in verify(mod)] == ["a", "b"]
    body = core.Block((core.St(S, Note(ONE)), core.St(S, Note(ONE + ONE)), core.Invalid()))
    found = verify(IRModule().with_function("f", core.FuncEntry((), (S,), (), body)))
    assert [type(each.node) for each in found] == [Note, Note, core.Invalid]


def test_violation_has_the_span_of_what_is_around() -> None:
    span = Span("there", 3, 4, 3, 9)
    found = verify(main(relay.Tuple([Noted(X)], span=span)))
    assert [each.span for each in found] == [span]


def test_handler_of_a_package_is_asked_by_the_verifier_of_its_language() -> None:
    func = entry(core.St(S, Note(ONE)))["main"]
    assert [each.message for each in core.verify(func)] == ["a note of int32 is empty"]


def test_handler_assembled_instead_takes_the_place_of_the_registered_one() -> None:
    class Lenient(VerifyMarks):
        def handle_note(self, visitor: Any, note: Any) -> None:
            pass

    assert verify(entry(core.St(S, Note(ONE))), Lenient) == ()


def test_what_is_below_is_verified_though_its_handler_does_not_go_on() -> None:
    assert len(verify(main(Noted(Noted(X), "said")))) == 1


def test_visitor_assembled_for_the_task_reports_to_its_context() -> None:
    ctx = VerifyCtx()
    assemble("verify", ctx).visit(Noted(X))
    assert [each.message for each in ctx.violations] == ["empty in a NoneType"]


def test_piece_of_a_program_is_verified_by_itself() -> None:
    assert verify(relay.exp(Y)) == ()
    assert [each.rule for each in verify(tir.Add(tir.const(1), tir.const(2.0)))] == [tir.Rule.TYPE]


def test_check_raises_with_all_violations() -> None:
    with pytest.raises(VerificationError, match="2 rules are broken") as raised:
        check(entry(core.St(S, Note(ONE)), core.Invalid()))
    assert len(raised.value.violations) == 2


def test_what_no_definition_is_blamed_for_stands_with_the_first() -> None:
    data = relay.TypeData(relay.GlobalTypeVar("T"), (), ())
    nowhere = relay.TypeCall(relay.GlobalTypeVar("Nowhere"), ())
    data = data.with_fields(constructors=(relay.Constructor("C", (nowhere,), data.header),))
    functions = {f"f{number}": Function([X], X) for number in range(8)}
    (found,) = verify(IRModule(functions, {data.header: data}))
    assert (found.rule, found.definition) == (Rule.TYPE, "f0")


def test_what_is_no_program_is_refused() -> None:
    with pytest.raises(FieldError, match="a program of any domain is verified; found"):
        verify(7)  # type: ignore[arg-type]


def test_pass_verify_stands_between_others() -> None:
    typed = relay.transform.InferType()(main(relay.exp(X)))
    assert relay.transform.Sequential(["Verify", "FoldConstant", "Verify"])(typed) is typed
    with pytest.raises(VerificationError):
        relay.transform.Verify()(main(relay.exp(Y)))


def test_instrument_asks_the_same_check() -> None:
    leave = relay.transform.create_module_pass(lambda _m, _c: main(relay.exp(Y)), 0, "Leave")
    with (
        relay.transform.PassContext(instruments=[relay.transform.VerifyInstrument(["verified"])]),
        pytest.raises(relay.CheckError, match="Leave broke the check verified"),
    ):
        leave(IRModule())


@pytest.mark.deep
def test_deep_programs_are_verified() -> None:
    e: Expr = X
    for _ in range(min(DEPTH, 20_000)):
        e = Noted(relay.exp(e), "deep")
    assert verify(main(e)) == ()
    value: core.Expr = ONE
    for _ in range(min(DEPTH, 20_000)):
        value = Note(value + ONE, "deep")
    assert verify(entry(core.St(S, value))) == ()
    assert verify(main(relay.Tuple([relay.Tuple([X])]))) == ()


def test_shared_program_is_verified_in_linear_time() -> None:
    e: Expr = X
    for _ in range(100):
        e = relay.add(e, e)
    assert verify(main(e)) == ()
