"""A long short-term memory, unrolled over time: one closure for each step."""

from __future__ import annotations

from relayish.frontend import ScopeBuilder
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType, TupleType
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import close, dense_add_bias
from relayish.testing.operators import op


def lstm_cell(num_hidden: int, batch_size: int = 1, dtype: str = "float32") -> Function:
    """Return one step of a long short-term memory.

    Args:
        num_hidden: The size of the state.
        batch_size: How many sequences run side by side.
        dtype: The element type.

    Returns:
        A function of the input and two states, (batch_size, num_hidden) each, and the weights and
        biases from input and state to the four gates. Its result is the output, and the two new
        states.

    Source:
        Relay ``testing.lstm.lstm_cell``.
    """
    state = TensorType((batch_size, num_hidden), dtype)
    gates_type = TensorType((batch_size, 4 * num_hidden), dtype)
    weight = TensorType((4 * num_hidden, num_hidden), dtype)
    bias = TensorType((4 * num_hidden,), dtype)
    both = TupleType((state, state))

    inputs, states = Var("inputs", state), Var("states", both)
    i2h_weight, i2h_bias = Var("i2h_weight", weight), Var("i2h_bias", bias)
    h2h_weight, h2h_bias = Var("h2h_weight", weight), Var("h2h_bias", bias)
    units = 4 * num_hidden
    scope = ScopeBuilder()

    def connected(name: str, data: Expr, kernel: Var, offset: Var) -> Var:
        made = dense_add_bias(data, kernel, offset, units=units, name=name)
        return scope.let((name, gates_type), made)

    i2h = connected("i2h", inputs, i2h_weight, i2h_bias)
    h2h = connected("h2h", TupleGetItem(states, 0), h2h_weight, h2h_bias)
    gates = scope.let(("gates", gates_type), op.add(i2h, h2h))
    slices = scope.let(
        ("slice_gates", TupleType((state,) * 4)), op.split(gates, indices_or_sections=4, axis=1)
    )
    in_gate, forget_gate, in_transform, out_gate = (
        scope.let((name, state), activation(TupleGetItem(slices, index)))
        for index, (name, activation) in enumerate(
            (
                ("in_gate", op.sigmoid),
                ("forget_gate", op.sigmoid),
                ("in_transform", op.tanh),
                ("out_gate", op.sigmoid),
            )
        )
    )
    kept = op.multiply(forget_gate, TupleGetItem(states, 1))
    next_c = scope.let(("next_c", state), op.add(kept, op.multiply(in_gate, in_transform)))
    next_h = scope.let(("next_h", state), op.multiply(out_gate, op.tanh(next_c)))
    result = TupleType((state, both))
    scope.ret(scope.let(("ret", result), Tuple((next_h, Tuple((next_h, next_c))))))
    params = (inputs, states, i2h_weight, i2h_bias, h2h_weight, h2h_bias)
    return Function(params, scope.get(), result)


def get_net(
    iterations: int, num_hidden: int, batch_size: int = 1, dtype: str = "float32"
) -> Function:
    """Return a long short-term memory over ``iterations`` inputs, each with weights of its own.

    Args:
        iterations: How many steps there are.
        num_hidden: The size of an input and of a state.
        batch_size: How many sequences run side by side.
        dtype: The element type.

    Returns:
        A function of the inputs, (batch_size, num_hidden) each and all called ``data``, and the
        weights of each step. Its result is the last output.

    Source:
        Relay ``testing.lstm``.
    """
    state = TensorType((batch_size, num_hidden), dtype)
    weight = TensorType((4 * num_hidden, num_hidden), dtype)
    bias = TensorType((4 * num_hidden,), dtype)
    both = TupleType((state, state))
    scope = ScopeBuilder()
    start = scope.let(("zeros", state), op.zeros(shape=(batch_size, num_hidden), dtype=dtype))
    states = scope.let(("init_states", both), Tuple((start, start)))
    output: Expr = start
    for step in range(iterations):
        weights = [
            var(f"{side}_{step}_{kind}", ty)
            for side in ("i2h", "h2h")
            for kind, ty in (("weight", weight), ("bias", bias))
        ]
        cell = lstm_cell(num_hidden, batch_size, dtype)
        called = scope.let(
            (f"call_{step}", TupleType((state, both))), cell(var("data", state), states, *weights)
        )
        output = scope.let((f"out_{step}", state), TupleGetItem(called, 0))
        states = scope.let((f"states_{step}", both), TupleGetItem(called, 1))
    scope.ret(output)
    return close(scope.get()).with_fields(ret_type=state)


def get_workload(
    iterations: int, num_hidden: int, batch_size: int = 1, dtype: str = "float32"
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(get_net(iterations, num_hidden, batch_size, dtype))
