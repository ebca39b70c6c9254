"""The gradient of a function of the whole language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.errors import GradientError
from relayish.ir.relay import expr as relay
from relayish.ir.relay.type import FuncType
from relayish.ir.scopes.node_scopes import Scopes
from relayish.passes.relay.gradient.ad.bindings import Names
from relayish.passes.relay.gradient.ad.dual import Dual, Scope, atom_of, make_collecting, tensors_of
from relayish.passes.relay.gradient.ad.reverse import ReverseMode
from relayish.passes.relay.gradient.ad.rules import call_of
from relayish.passes.relay.gradient.ad.structure import pack_tensors
from relayish.passes.relay.gradient.ad.types import BACK_PROPAGATOR, UNIT, reverse_type

Group = Sequence[tuple[str, relay.Function]]
"""Global functions, by name, that refer to one another."""

_NOTHING: Final = relay.Tuple(())


def higher_order_gradient(func: relay.Function, groups: Sequence[Group]) -> relay.Function:
    """Return the function that returns the result of ``func`` and the gradients of its parameters.

    Args:
        func: A typed function whose parameters are tensors or tuples of them.
        groups: The typed global functions that it uses; those a group uses stand before it.

    Complexity:
        Linear in the distinct nodes of ``func`` and of the global functions.
    """
    outer = Scope(Names(), relay.Var("back", BACK_PROPAGATOR))
    outer.bind(outer.back, relay.RefCreate(relay.Function((), _NOTHING, UNIT)))
    globals_: dict[str, Dual] = {}
    for group in groups:
        _write_group(globals_, outer, group)
    reverse = ReverseMode(Scopes([func.body], flat=(relay.Let,)), outer, globals_)
    params: list[Dual] = []
    for param in func.params:
        ty = param.checked_type or param.type_annotation
        assert ty is not None
        params.append(make_collecting(outer, ty, param))
        reverse.name(param, params[-1])
    reverse.visit(func.body)
    result = reverse.dual_of(func.body, outer)
    tensors = tensors_of(result)
    if not tensors:
        raise GradientError("the function returns no tensor; there is nothing to differentiate")
    first = tensors[0]
    assert first.value is not None
    if first.ref is not None:
        outer.push(relay.RefWrite(first.ref, call_of("ones_like", first.value)))
    outer.push(relay.Call(outer.push(relay.RefRead(outer.back)), ()))
    gradients = tuple([_gradient(outer, param) for param in params])
    assert result.ty is not None
    values = pack_tensors(
        result.ty, [tensor.value for tensor in tensors if tensor.value is not None]
    )
    return relay.Function(func.params, outer.close(relay.Tuple((values, relay.Tuple(gradients)))))


def _gradient(scope: Scope, param: Dual) -> relay.Expr:
    """Return the gradient that ``param`` has in the end."""
    assert param.ty is not None
    refs = [tensor.ref for tensor in tensors_of(param)]
    return pack_tensors(
        param.ty, [scope.push(relay.RefRead(ref)) for ref in refs if ref is not None]
    )


def _write_group(globals_: dict[str, Dual], outer: Scope, group: Group) -> None:
    """Bind what stands for global functions that refer to one another, and note it."""
    # each is visited by itself: functions may share nodes, in which their variables stand
    walks = [ReverseMode(Scopes([func], flat=(relay.Let,)), outer, globals_) for _, func in group]
    if len(group) == 1:
        ((name, func),), (reverse,) = group, walks
        globals_[name] = reverse.name_function(f"{name}_grad", func)
        reverse.visit(func)
        return
    cells = [_declare_forward(globals_, outer, name, func) for name, func in group]
    for reverse, cell, (_, func) in zip(walks, cells, group, strict=True):
        reverse.visit(func)
        outer.push(relay.RefWrite(cell, atom_of(reverse.dual_of(func, outer))))


def _declare_forward(
    globals_: dict[str, Dual], outer: Scope, name: str, func: relay.Function
) -> relay.Var:
    """Let ``name`` stand for a function that calls what is in a cell, and return the cell.

    A let-bound function can only refer to itself; functions that refer to one another find each
    other in cells, which hold functions that never return until all are written.
    """
    ty = func.checked_type
    assert isinstance(ty, FuncType)
    reversed_type = reverse_type(ty)
    assert isinstance(reversed_type, FuncType)
    endless = relay.Var(f"{name}_endless", reversed_type)
    outer.bind(endless, _make_forwarding(reversed_type, endless))
    cell = outer.push(relay.RefCreate(endless))
    var = relay.Var(f"{name}_grad", reversed_type)
    outer.bind(var, _make_forwarding(reversed_type, relay.RefRead(cell)))
    globals_[name] = Dual(outer, ty, atom=var)
    return cell


def _make_forwarding(ty: FuncType, callee: relay.Expr) -> relay.Function:
    """Return a function of type ``ty`` that calls ``callee`` with its arguments."""
    params = tuple([relay.Var(f"p{i}", arg) for i, arg in enumerate(ty.arg_types)])
    return relay.Function(params, relay.Call(callee, params), ty.ret_type, ty.type_params)
