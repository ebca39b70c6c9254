"""Recurrent layers, a step after another: sequences of known length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.ir.relay.expr import Expr, Tuple
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

_ACTIVATIONS: Final = {"Sigmoid": "sigmoid", "Tanh": "tanh", "Relu": "nn.relu"}
_DEFAULTS: Final = {
    "LSTM": ("Sigmoid", "Tanh", "Tanh"), "GRU": ("Sigmoid", "Tanh"), "RNN": ("Tanh",)
}  # fmt: skip
_GATES: Final = {"LSTM": 4, "GRU": 3, "RNN": 1}


@lowers("LSTM", "GRU", "RNN")
def recurrent(node: OnnxNode) -> list[Expr]:
    """Every direction by itself: all steps, and the last states."""
    if node.has(4) or "clip" in node.attributes or node.attr("input_forget", 0):
        raise Unlowered("its sequences differ in length, or its gates are clipped or coupled")
    if node.attr("layout", 0):
        raise Unlowered("its batch comes before its steps")
    for place in range(3):
        node.check_rank(place, 3)
    name = node.identity.name
    direction = node.attr("direction", "forward")
    directions = ["forward", "reverse"] if direction == "bidirectional" else [direction]
    functions = tuple(node.attr("activations", _DEFAULTS[name] * len(directions)))
    if any(each not in _ACTIVATIONS for each in functions):
        raise Unlowered(f"Relay has not all of the activations {', '.join(functions)}")
    steps = node.type(0).shape[0]
    if not isinstance(steps, int):
        raise Unlowered("how many steps there are is known only when it runs")
    per = len(_DEFAULTS[name])
    parts = [
        _direction(node, place, way, functions[place * per : place * per + per], steps)
        for place, way in enumerate(directions)
    ]
    outputs: list[Expr] = [
        build("concatenate", Tuple([each[0] for each in parts]), axis=1),
        build("concatenate", Tuple([each[1] for each in parts]), axis=0),
    ]
    if name == "LSTM":
        outputs.append(build("concatenate", Tuple([each[2] for each in parts]), axis=0))
    return outputs


def _take(expr: Expr, place: int) -> Expr:
    """Return one slice of the first axis, without the axis."""
    return build("take", expr, const(place, "int32"), axis=0)


def _direction(
    node: OnnxNode, place: int, way: str, functions: Sequence[str], steps: int
) -> tuple[Expr, Expr, Expr]:
    """Return all steps, the last state, and the last cell, of one direction."""
    name, dtype = node.identity.name, node.dtype()
    hidden = node.type(2).shape[2]
    batch = node.type(0).shape[1]
    if not isinstance(hidden, int):
        raise Unlowered("the size of its state is known only when it runs")
    if not isinstance(batch, int) and not node.has(5):
        raise Unlowered("the size of its batch is known only when it runs")
    cell = _Cell(node, place, hidden, functions)
    zeros = None if not isinstance(batch, int) else build("full", const(0, dtype), (batch, hidden))
    state = _take(node.input(5), place) if node.has(5) else zeros
    memory = _take(node.input(6), place) if node.has(6) else zeros
    if state is None or (memory is None and name == "LSTM"):
        raise Unlowered("the size of its batch is known only when it runs")
    order = range(steps) if way == "forward" else range(steps - 1, -1, -1)
    outputs: list[Expr] = [state] * steps
    for step in order:
        state, memory = cell.step(_take(node.input(0), step), state, memory)
        outputs[step] = build("expand_dims", build("expand_dims", state, axis=0), axis=0)
    stacked = build("concatenate", Tuple(outputs), axis=0)
    last = build("expand_dims", state, axis=0)
    return stacked, last, last if memory is None else build("expand_dims", memory, axis=0)


class _Cell:
    """The weights of one direction, and what a step computes with them."""

    def __init__(self, node: OnnxNode, place: int, hidden: int, functions: Sequence[str]) -> None:
        self.name = node.identity.name
        self.hidden = hidden
        self.dtype = node.dtype()
        self.functions = [_ACTIVATIONS[each] for each in functions]
        self.late_reset = bool(node.attr("linear_before_reset", 0))
        self.input_weight = _take(node.input(1), place)
        self.state_weight = _take(node.input(2), place)
        gates = _GATES[self.name]
        self.input_bias: Expr | None = None
        self.state_bias: Expr | None = None
        if node.has(3):
            both = _take(node.input(3), place)
            self.input_bias = self._part(both, 0, gates, axis=0)
            self.state_bias = self._part(both, gates, 2 * gates, axis=0)
        self.peephole = None
        if self.name == "LSTM" and node.has(7):
            self.peephole = _take(node.input(7), place)

    def _part(self, expr: Expr, first: int, last: int, axis: int) -> Expr:
        """Return gates ``first`` to ``last`` of what holds all of them."""
        h = self.hidden
        return build("strided_slice", expr, begin=[first * h], end=[last * h], axes=[axis])

    def _linear(self, x: Expr, weight: Expr, bias: Expr | None) -> Expr:
        found = build("nn.dense", x, weight)
        return found if bias is None else build("add", found, bias)

    def step(self, x: Expr, state: Expr, memory: Expr | None) -> tuple[Expr, Expr | None]:
        """Return the next state, and the next cell if there is one."""
        given = self._linear(x, self.input_weight, self.input_bias)
        if self.name == "GRU":
            return self._gru(given, state), None
        kept = self._linear(state, self.state_weight, self.state_bias)
        both = build("add", given, kept)
        if self.name == "RNN":
            return build(self.functions[0], both), None
        assert memory is not None
        return self._lstm(both, memory)

    def _lstm(self, both: Expr, memory: Expr) -> tuple[Expr, Expr]:
        gate, cell, out = self.functions
        i, o, f, c = [self._part(both, place, place + 1, axis=1) for place in range(4)]
        if self.peephole is not None:
            p = [self._part(self.peephole, place, place + 1, axis=0) for place in range(3)]
            i = build("add", i, build("multiply", p[0], memory))
            f = build("add", f, build("multiply", p[2], memory))
        kept = build("multiply", build(gate, f), memory)
        new = build("add", kept, build("multiply", build(gate, i), build(cell, c)))
        if self.peephole is not None:
            o = build("add", o, build("multiply", p[1], new))
        return build("multiply", build(gate, o), build(out, new)), new

    def _gru(self, given: Expr, state: Expr) -> Expr:
        gate, cell = self.functions
        kept = self._linear(state, self._part(self.state_weight, 0, 2, axis=0), None)
        bias, last_bias = None, None
        if self.state_bias is not None:
            bias = self._part(self.state_bias, 0, 2, axis=0)
            last_bias = self._part(self.state_bias, 2, 3, axis=0)
            kept = build("add", kept, bias)
        both = build("add", self._part(given, 0, 2, axis=1), kept)
        z = build(gate, self._part(both, 0, 1, axis=1))
        r = build(gate, self._part(both, 1, 2, axis=1))
        weight = self._part(self.state_weight, 2, 3, axis=0)
        if self.late_reset:
            inner = build("multiply", r, self._linear(state, weight, last_bias))
        else:
            inner = self._linear(build("multiply", r, state), weight, last_bias)
        new = build(cell, build("add", self._part(given, 2, 3, axis=1), inner))
        rest = build("subtract", const(1, self.dtype), z)
        return build("add", build("multiply", rest, new), build("multiply", z, state))
