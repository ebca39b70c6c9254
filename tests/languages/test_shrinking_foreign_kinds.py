"""Programs of Relay that hold kinds of other packages are made smaller."""

from __future__ import annotations

from relayish.analysis import TYPE_RULES
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra.debug.bisect import bisect
from relayish.pass_infra.debug.shrink import shrink
from relayish.transform import create_function_pass, run_check
from tests.support.declared import known_in_tests

ADD = intern_op("add")
DECLARED = declared_temporarily()
with DECLARED:

    @node("wrapped_here")
    class Wrapped(Expr):
        """An operand, of whose type it is."""

        value: Expr

    @node("repeated_here")
    class Repeated(Expr):
        """A variable, what it is at first, and a body that runs again and again; has no type."""

        var: Var = field(binder=True)
        init: Expr
        body: Expr = field(scope=Runs.REPEATEDLY)


TYPE_RULES.register(Wrapped, lambda wrapped, inference: inference.type_of(wrapped.value))


_kinds = known_in_tests(DECLARED)


def holds(kind: type[Expr]):
    def still(mod: IRModule) -> bool:
        return any(type(n) is kind for n in PROGRAM.post_order(tuple(mod.functions.values())))

    return still


def program(kind) -> IRModule:
    x, y = Var("x", TensorType((2,), "float32")), Var("y")
    body = Call(ADD, (kind(Call(ADD, (x, Constant(1.0)))), y))
    return IRModule({"main": Function((x,), Let(y, Call(ADD, (x, x)), body)), "idle": Constant(1)})


def test_typed_kind_is_shrunk_to_it_alone():
    small = shrink(program(Wrapped), holds(Wrapped))
    x = Var("x", TensorType((2,), "float32"))
    ((_, func),) = small.functions.items()
    assert structural_equal(func.body, Wrapped(x), map_free_vars=True)


def test_kind_without_a_type_is_shrunk_by_its_roles():
    small = shrink(program(repeated), holds(Repeated))
    ((_, func),) = small.functions.items()
    assert type(func.body) is Repeated
    assert len(PROGRAM.post_order(func)) <= 4
    run_check("well_formed", small)
    run_check("no_free_vars", small)


def repeated(value: Expr) -> Repeated:
    i = Var("i")
    return Repeated(i, value, Call(ADD, (i, i)))


def test_pass_that_fails_on_a_foreign_kind_is_shown_by_it_alone():
    def fail(func, _mod, _ctx):
        if holds(Wrapped)(IRModule({"f": func})):
            raise ValueError
        return func

    found = bisect(create_function_pass(fail, 1, "Fail"), program(Wrapped), lambda *_: None)
    assert found is not None
    assert "ValueError" in found.message
    ((_, func),) = found.shrunk.functions.items()
    assert type(func.body) is Wrapped
