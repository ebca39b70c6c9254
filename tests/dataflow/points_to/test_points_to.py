"""Points-to analysis: hand-made truths of Relay programs."""

from __future__ import annotations

from itertools import pairwise

import pytest

import relayish as relay
from relayish.dataflow import UNKNOWN, VALUE_FLOW, find_points_to
from relayish.dataflow.points_to.find import MAX_SITES
from relayish.errors import AnalysisError
from tests.support.depth import DEPTH


def func(body="0", *names):
    """Return a function of int32 with a body in which its parameters are known."""
    params = [relay.var(name, "int32") for name in names or ("p",)]
    return relay.Function(params, relay.const(0) if body == "0" else body(*params))


X = relay.var("x", "int32")


def let(*pairs, body):
    for var, value in reversed(pairs):
        body = relay.Let(var, value, body)
    return body


def variables(names):
    return [relay.var(name) for name in names]


class TestFunctions:
    def test_a_variable_is_the_function_it_is_bound_to(self):
        [f] = variables("f")
        one = func()
        call = relay.Call(f, (X,))
        found = find_points_to(let((f, one), body=call))
        assert found.of(f) == {one}
        assert [site.node for site in found.calls[call].callees] == [one]
        assert not found.calls[call].is_unknown

    def test_branches_are_united(self):
        c, f = variables("cf")
        one, other = func(), func()
        found = find_points_to(let((f, relay.If(c, one, other)), body=relay.Call(f, (X,))))
        assert found.of(f) == {one, other}

    def test_results_are_those_of_all_callees(self):
        c, f, g = variables("cfg")
        inner, other = func(), func()
        maker, copier = func(lambda _: inner), func(lambda _: other)
        program = let(
            (f, relay.If(c, maker, copier)), (g, relay.Call(f, (X,))), body=relay.Call(g, (X,))
        )
        assert find_points_to(program).of(g) == {inner, other}

    def test_arguments_are_united_over_calls(self):
        f, a, b = variables("fab")
        one, other, same = func(), func(), func(lambda p: p)
        program = let((f, same), (a, relay.Call(f, (one,))), (b, relay.Call(f, (other,))), body=X)
        found = find_points_to(program)
        assert found.of(a) == found.of(b) == {one, other}

    def test_a_recursive_function_calls_itself(self):
        [f] = variables("f")
        call = relay.Call(f, (X,))
        one = func(lambda _: call)
        found = find_points_to(let((f, one), body=relay.Call(f, (X,))))
        assert [site.node for site in found.calls[call].callees] == [one]

    def test_a_wrong_number_of_arguments_calls_something_unknown(self):
        [f] = variables("f")
        call = relay.Call(f, (X, X))
        found = find_points_to(let((f, func()), body=call))
        assert found.calls[call].callees == ()
        assert found.calls[call].is_unknown


class TestParts:
    def test_fields_of_tuples_are_told_apart(self):
        [t] = variables("t")
        one, other = func(), func()
        second = relay.TupleGetItem(t, 1)
        found = find_points_to(let((t, relay.Tuple((one, other))), body=second))
        assert found.of(second) == {other}

    def test_arguments_of_constructors_are_told_apart_by_match(self):
        mod = relay.prelude.Prelude().mod
        nil, cons = (mod.get_constructor("List", name) for name in ("Nil", "Cons"))
        h, t = variables("ht")
        one = func()
        data = relay.Call(cons, (one, relay.Call(nil, ())))
        pattern = relay.PatternConstructor(cons, (relay.PatternVar(h), relay.PatternVar(t)))
        found = find_points_to(relay.Match(data, (relay.Clause(pattern, h),)))
        assert found.of(h) == {one}
        assert found.of(t) == {data.args[1]}

    def test_patterns_reach_into_patterns(self):
        a, b = variables("ab")
        one, other = func(), func()
        data = relay.Tuple((one, relay.Tuple((other, X))))
        inner = relay.PatternTuple((relay.PatternVar(b), relay.PatternWildcard()))
        pattern = relay.PatternTuple((relay.PatternVar(a), inner))
        found = find_points_to(relay.Match(data, (relay.Clause(pattern, b),)))
        assert (found.of(a), found.of(b)) == ({one}, {other})

    def test_a_reference_holds_all_that_is_ever_written(self):
        r, s, u = variables("rsu")
        one, other = func(), func()
        read = relay.RefRead(r)
        program = let((r, relay.RefCreate(one)), (s, r), (u, relay.RefWrite(s, other)), body=read)
        assert find_points_to(program).of(read) == {one, other}

    def test_references_of_different_sites_are_different(self):
        r, s = variables("rs")
        one, other = func(), func()
        read = relay.RefRead(r)
        program = let((r, relay.RefCreate(one)), (s, relay.RefCreate(other)), body=read)
        found = find_points_to(program)
        assert found.of(read) == {one}
        assert not found.may_alias(r, s)

    def test_sites_are_what_creates_things_with_parts(self):
        tup = relay.Tuple((relay.RefCreate(X), func()))
        found = find_points_to(tup)
        assert set(found.sites) == {tup, tup.fields[0]}
        assert found.parts(tup) == {0: {tup.fields[0]}, 1: {tup.fields[1]}}
        assert found.reachable([tup]) == {tup, *tup.fields, UNKNOWN}

    def test_a_reference_in_itself_comes_to_rest(self):
        r, u = variables("ru")
        made = relay.RefCreate(X)
        program = let((r, made), (u, relay.RefWrite(r, r)), body=relay.RefRead(r))
        assert find_points_to(program).of(program.body.body) == {made, UNKNOWN}


class TestOutside:
    def test_parameters_of_the_program_are_unknown(self):
        found = find_points_to(func(lambda p: relay.Call(p, ())))
        [call] = found.calls.values()
        assert call.is_unknown
        assert call.callees == ()

    def test_free_variables_are_unknown(self):
        assert find_points_to(relay.Tuple((X,))).of(X) == {UNKNOWN}

    def test_what_is_returned_escapes_with_its_parts(self):
        one = func()
        tup = relay.Tuple((one, relay.RefCreate(one)))
        assert find_points_to(tup).escaped == {tup, one, tup.fields[1]}

    def test_what_does_not_leave_does_not_escape(self):
        [r] = variables("r")
        found = find_points_to(let((r, relay.RefCreate(X)), body=relay.const(1)))
        assert found.escaped == frozenset()

    def test_arguments_of_unknown_functions_escape(self):
        [r] = variables("r")
        made = relay.RefCreate(relay.const(0))
        found = find_points_to(let((r, made), body=relay.Call(X, (r,))))
        assert found.escaped == {made}
        assert found.of(relay_read := relay.RefRead(r)) == frozenset()
        assert relay_read not in found.reached

    def test_what_is_read_of_a_reference_that_escaped_is_unknown(self):
        r, u = variables("ru")
        one, read = func(), None
        made = relay.RefCreate(one)
        read = relay.RefRead(r)
        found = find_points_to(let((r, made), (u, relay.Call(X, (r,))), body=read))
        assert found.of(read) == {one, UNKNOWN}

    def test_what_is_written_to_an_unknown_reference_escapes(self):
        one = func()
        assert find_points_to(relay.RefWrite(X, one)).escaped == {one}

    def test_a_closure_that_escapes_gives_away_what_it_returns_only(self):
        r, s, f = variables("rsf")
        kept, given = relay.RefCreate(relay.const(0)), relay.RefCreate(relay.const(1))
        closure = func(lambda _: relay.Let(f, relay.RefRead(r), s))
        found = find_points_to(let((r, kept), (s, given), body=closure))
        assert found.escaped == {closure, given}

    def test_an_unknown_value_may_be_all_that_escaped(self):
        r, s = variables("rs")
        made, other = relay.RefCreate(relay.const(0)), relay.RefCreate(relay.const(0))
        got = relay.Call(X, (r,))
        found = find_points_to(let((r, made), (s, other), body=got))
        assert found.may_alias(got, r)
        assert found.may_alias(r, got)
        assert not found.may_alias(got, s)

    def test_operators_that_are_known_keep_nothing(self):
        [r] = variables("r")
        call = relay.add(X, X)
        found = find_points_to(let((r, relay.RefCreate(X)), body=call))
        assert call not in found.calls
        assert found.of(call) == frozenset()

    def test_marks_pass_functions_on(self):
        one = func()
        marked = relay.annotation.stop_fusion(one)
        assert find_points_to(relay.Tuple((marked,))).of(marked) == {one}


class TestModules:
    TEXT = """#[version = "0.0.5"]
        def @one(%f: fn (int32) -> int32) -> int32 { %f(1) }
        def @two(%f: fn (int32) -> int32) -> int32 { @one(%f) }
        def @main() -> int32 { @two(fn (%a: int32) -> int32 { %a }) }
        def @other() -> int32 { @one(fn (%b: int32) -> int32 { %b }) }
    """

    def callees(self, entries):
        mod = relay.parse(self.TEXT)
        found = find_points_to(mod, entries=entries)
        call = found.calls[mod["one"].body]
        names = [site.parameters[0].name_hint for site in call.callees]
        return sorted(names), call.is_unknown

    def test_names_stand_for_definitions(self):
        assert self.callees(["main"]) == (["a"], False)
        assert self.callees(["main", "other"]) == (["a", "b"], False)

    def test_all_definitions_are_called_from_outside_by_default(self):
        assert self.callees(None) == (["a", "b"], True)

    def test_an_entry_that_is_not_defined_is_refused(self):
        with pytest.raises(relay.UnknownNameError, match="no function @nothing"):
            self.callees(["nothing"])

    def test_entries_without_a_module_are_refused(self):
        with pytest.raises(AnalysisError, match=r"entries are names of definitions .* \['main'\]"):
            find_points_to(func(), entries=["main"])

    def test_a_name_without_definition_is_unknown(self):
        call = relay.Call(relay.GlobalVar("nowhere"), (X,))
        found = find_points_to(relay.IRModule({"main": relay.Function((X,), call)}))
        assert found.calls[call].is_unknown


class TestKindsDeclaredOutside:
    @pytest.fixture(autouse=True)
    def kinds(self):
        with relay.declared_temporarily():

            @relay.node("points_to_box", effect=relay.Effect.NONE)
            class Box(relay.Expr):
                inside: relay.Expr

            @relay.node("points_to_thunk", effect=relay.Effect.NONE)
            class Thunk(relay.Expr):
                body: relay.Expr = relay.field(scope=relay.Runs.DEFERRED)

            @relay.node("points_to_force")
            class Force(relay.Expr):
                thunk: relay.Expr

            self.box, self.thunk, self.force = Box, Thunk, Force
            yield

    def test_what_a_kind_without_a_rule_is_given_escapes(self):
        one = func()
        box = self.box(one)
        found = find_points_to(relay.Let(relay.var("b"), box, relay.const(0)))
        assert found.escaped == {one}
        assert found.of(box) == {UNKNOWN}

    def test_a_rule_says_what_is_made_and_called(self):
        @VALUE_FLOW.register(self.thunk)
        def make(thunk, flow):
            flow.creates_function(thunk, (), thunk.body)

        @VALUE_FLOW.register(self.force)
        def call(force, flow):
            flow.calls(force, force.thunk, ())

        one = func()
        thunk = self.thunk(one)
        force = self.force(thunk)
        found = find_points_to(relay.Let(relay.var("b"), force, relay.const(0)))
        assert found.of(force) == {one}
        assert found.escaped == frozenset()


def test_a_chain_of_names_for_one_function_has_one_set():
    names = [relay.var(f"f{k}") for k in range(1000)]
    one = func()
    pairs = [(names[0], one), *((b, a) for a, b in pairwise(names))]
    found = find_points_to(let(*pairs, body=relay.Call(names[-1], (X,))))
    assert found.of(names[-1]) is found.of(names[0])


@pytest.mark.deep
def test_deep_programs_are_analysed_without_recursion():
    one: relay.Node = func()
    program = one
    for _ in range(DEPTH):
        program = relay.Tuple((program,))
    for _ in range(DEPTH):
        program = relay.TupleGetItem(program, 0)
    assert find_points_to(program).of(program) == {one}


def test_value_that_may_be_very_many_things_is_any_that_is_known_outside():
    c, variable = relay.var("c"), relay.var("f")
    functions = [relay.Function([], relay.Tuple(())) for _ in range(MAX_SITES + 20)]
    value: relay.Expr = functions[0]
    for function in functions[1:]:
        value = relay.If(c, function, value)
    call = relay.Call(variable, ())
    found = find_points_to(relay.Let(variable, value, relay.Tuple((call,))))
    assert found.calls[call].is_unknown
    assert set(functions) <= set(found.escaped)


def test_value_that_may_be_many_things_is_each_of_them():
    c, variable = relay.var("c"), relay.var("f")
    functions = [relay.Function([], relay.Tuple(())) for _ in range(MAX_SITES)]
    value: relay.Expr = functions[0]
    for function in functions[1:]:
        value = relay.If(c, function, value)
    call = relay.Call(variable, ())
    found = find_points_to(relay.Let(variable, value, relay.Tuple((call,))))
    assert len(found.calls[call].callees) == MAX_SITES
    assert not found.escaped.intersection(functions)
