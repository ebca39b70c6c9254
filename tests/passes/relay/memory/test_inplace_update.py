"""Results that take the place of arguments, and those that may not."""

from __future__ import annotations

import pytest

from relayish.errors import PassError
from relayish.ir.relay.expr import Call, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.declaration.properties import in_place
from relayish.op.declaration.registry import get_op
from relayish.passes.relay.memory.inplace_update import update_in_place
from relayish.passes.relay.memory.validate_inplace_update import validate_inplace_update
from relayish.text import parse
from relayish.transform import InplaceUpdate, ValidateInplaceUpdate
from tests.support.deep import DEEP_NESTS
from tests.support.depth import DEPTH

HEADER = '#[version = "0.0.5"]\n'
SCATTER = "%x: Tensor[(3), float32], %i: Tensor[(1), int64], %y: Tensor[(1), float32]"


def shared(mod: IRModule) -> dict[str, str]:
    """Return which let-bound variables take the place of which."""
    lets = [node for node in EXPRESSIONS.post_order(mod["main"]) if type(node) is Let]
    places = {let.var.name_hint: let.var.may_share for let in lets}
    return {name: place.name_hint for name, place in places.items() if place is not None}


def updated(body: str, params: str = SCATTER) -> IRModule:
    return InplaceUpdate()(parse(f"{HEADER}def @main({params}) {{ {body} }}"))


def test_what_is_scattered_into_is_written_over() -> None:
    mod = updated(
        "let %a = exp(%x); let %b = scatter_elements(%a, %i, %y); "
        "let %c = scatter_elements(%b, %i, %y); %c"
    )
    assert shared(mod) == {"b": "a", "c": "b"}
    assert InplaceUpdate()(mod) is mod
    assert ValidateInplaceUpdate()(mod) is mod


def test_one_of_several_results_shares_where_it_is_projected() -> None:
    params = ", ".join(f"%{name}: Tensor[(2), float32]" for name in "gbmv")
    mod = updated(
        "let %n = nn.batch_norm(%x, %g, %b, %m, %v); let %p = %n.1; let %q = %n.2; (%n, %p, %q)",
        f"%x: Tensor[(1, 2), float32], {params}",
    )
    assert shared(mod) == {"p": "m", "q": "v"}


def test_memory_that_is_needed_later_is_not_written_over() -> None:
    mod = updated("let %a = exp(%x); let %b = scatter_elements(%a, %i, %y); add(%a, %b)")
    assert shared(mod) == {"b": "a"}
    assert shared(ValidateInplaceUpdate()(mod)) == {}
    with pytest.raises(PassError, match="cannot take the place of %a"):
        ValidateInplaceUpdate(enforce_inplace_update=True)(mod)


@pytest.mark.parametrize(
    "body",
    [
        "let %a = exp(%x); let %t = (%a, %x); let %b = scatter_elements(%a, %i, %y); %t",
        "let %a = exp(%x); let %v = squeeze(%a); let %b = scatter_elements(%a, %i, %y); %v",
        "let %a = exp(%x); let %f = fn () { %a }; let %b = scatter_elements(%a, %i, %y); %f()",
        "let %a = exp(%x); let %r = ref(%a); let %b = scatter_elements(%a, %i, %y); %r",
        "let %f = fn () { let %b = scatter_elements(%x, %i, %y); %b }; %f()",
        (
            "let %f = fn (%z: Tensor[(3), float32]) { let %b = scatter_elements(%z, %i, %y); %b }; "
            "%f(%x)"
        ),
        (
            "let %a = if (True) { %x } else { exp(%x) }; let %b = scatter_elements(%a, %i, %y); "
            "(%b, %x)"
        ),
    ],
)
def test_memory_known_by_another_name_is_not_written_over(body: str) -> None:
    mod = updated(body)
    assert "b" in shared(mod)
    assert shared(ValidateInplaceUpdate()(mod)) == {}


def test_branch_may_write_over_what_the_other_needs() -> None:
    mod = updated(
        "let %a = exp(%x); let %c = if (True) { let %b = scatter_elements(%a, %i, %y); %b } "
        "else { exp(%a) }; %c"
    )
    assert shared(ValidateInplaceUpdate()(mod)) == {"b": "a"}


def test_operators_of_others_can_be_declared_to_write_over() -> None:
    op = get_op("exp")
    in_place.set(op, ((0, 0),))
    try:
        a, b, x = Var("a"), Var("b"), Var("x")
        func = Function((x,), Let(a, Call(op, (x,)), Let(b, Call(op, (a,)), b)))
        out = update_in_place(func)
    finally:
        in_place.remove(op)
    assert isinstance(out, Function)
    assert shared(IRModule.from_expr(out)) == {"a": "x", "b": "a"}
    assert validate_inplace_update(out) is out


def test_nothing_shared_is_nothing_to_do_in_any_form() -> None:
    func = parse(f"{HEADER}def @main({SCATTER}) {{ scatter_elements(exp(%x), %i, %y) }}")["main"]
    assert update_in_place(func) is func
    assert validate_inplace_update(func) is func


@pytest.mark.deep
@pytest.mark.parametrize("nest", DEEP_NESTS)
def test_depth_is_no_limit(nest: str) -> None:
    func = Function((), DEEP_NESTS[nest](min(DEPTH, 30_000)))
    assert update_in_place(func) is func
    assert validate_inplace_update(func) is func


def test_long_chain_of_updates_shares_one_memory() -> None:
    scatter, i, y, place = get_op("scatter_elements"), Var("i"), Var("y"), Var("x")
    lets: list[tuple[Var, Expr]] = []
    for level in range(5_000):
        lets.append((var := Var(f"v{level}"), Call(scatter, (place, i, y))))
        place = var
    body: Expr = place
    for var, value in reversed(lets):
        body = Let(var, value, body)
    out = update_in_place(Function((lets[0][1].args[0], i, y), body))  # type: ignore[attr-defined]
    assert isinstance(out, Function)
    assert len(shared(IRModule.from_expr(out))) == 5_000
    assert validate_inplace_update(out) is out
