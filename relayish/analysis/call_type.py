"""The type of a call of an operator, from the types of its arguments."""

from __future__ import annotations

from relayish.analysis.infer_type import infer_type_local
from relayish.ir.relay.expr import Call, Op, Var
from relayish.ir.relay.type import Type
from relayish.op.declaration.properties import relation, rule
from relayish.op.declaration.relation import NULL_REPORTER


def call_type(call: Call, args: tuple[Type, ...]) -> Type:
    """Return the type of a call of an operator on arguments of the types ``args``.

    The arguments themselves are not looked at, so they need not carry their types.

    Raises:
        TypeInferenceError: If the operator does not take such arguments.

    Complexity:
        That of the rule of types of the operator.

    Example:
        >>> from relayish.ir.relay.op import intern_op
        >>> from relayish.ir.relay.type import scalar_type
        >>> x = Var("x")
        >>> call_type(Call(intern_op("less"), (x, x)), (scalar_type("int8"),) * 2)
        TensorType(shape=(), dtype='bool')
    """
    op = call.op
    assert isinstance(op, Op)
    tells = rule.get(op)
    if tells is not None:
        return tells(call.attrs, *args)
    relates = relation.get(op)
    found = None if relates is None else relates(call.attrs, args, NULL_REPORTER)
    if found is not None:
        return found
    names = tuple([Var("arg", ty, checked_type=ty) for ty in args])
    return infer_type_local(Call(op, names, call.attrs))
