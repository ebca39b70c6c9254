"""Recurrent layers, a step after another: sequences of known length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from relayish.ir.relay.expr import Expr, Tuple
from relayish.passes.onnx.lowering.arithmetic import Numbers, work_type
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

_DEFAULTS: Final = {
    "LSTM": ("Sigmoid", "Tanh", "Tanh"), "GRU": ("Sigmoid", "Tanh"), "RNN": ("Tanh",)
}  # fmt: skip
_GATES: Final = {"LSTM": 4, "GRU": 3, "RNN": 1}
_DIRECTIONS: Final = {
    "forward": (False,), "foward": (False,), "reverse": (True,), "bidirectional": (False, True)
}  # fmt: skip
"""By what a layer says, its misspelling in old models included: whether directions go back."""

Activation: TypeAlias = Callable[[Expr], Expr]


class _Kind(NamedTuple):
    """An activation: ``write(op, x, alpha, beta)``, and its parameters where it has some."""

    write: Callable[[Numbers, Expr, float, float], Expr]
    alpha: float | None = None
    beta: float | None = None


def _softplus(op: Numbers, x: Expr, _alpha: float, _beta: float) -> Expr:
    small = op("log", op("add", op("exp", op("negative", op("abs", x))), 1))
    return op("add", op("maximum", x, 0), small)


def _elu(op: Numbers, x: Expr, alpha: float, _beta: float) -> Expr:
    grown = op("multiply", alpha, op("subtract", op("exp", x), 1))
    return op("where", op("less", x, 0), grown, x)


_KINDS: Final = {
    "sigmoid": _Kind(lambda op, x, _a, _b: op("sigmoid", x)),
    "tanh": _Kind(lambda op, x, _a, _b: op("tanh", x)),
    "relu": _Kind(lambda op, x, _a, _b: op("nn.relu", x)),
    "affine": _Kind(lambda op, x, a, b: op("add", op("multiply", a, x), b), 1.0, 0.0),
    "leakyrelu": _Kind(lambda _, x, a, _b: build("nn.leaky_relu", x, alpha=a), 0.01),
    "thresholdedrelu": _Kind(
        lambda op, x, a, _b: op("where", op("greater", x, a), x, 0), 1.0
    ),
    "scaledtanh": _Kind(
        lambda op, x, a, b: op("multiply", a, op("tanh", op("multiply", b, x))), 1.0, 1.0
    ),
    "hardsigmoid": _Kind(
        lambda op, x, a, b: op(
            "minimum", op("maximum", op("add", op("multiply", a, x), b), 0), 1
        ), 0.2, 0.5
    ),
    "elu": _Kind(_elu, 1.0),
    "softsign": _Kind(lambda op, x, _a, _b: op("divide", x, op("add", op("abs", x), 1))),
    "softplus": _Kind(_softplus),
}  # fmt: skip


def _activations(node: OnnxNode, op: Numbers, directions: int) -> Iterator[Activation]:
    """Yield the activations of all directions, with their parameters."""
    usual = _DEFAULTS[node.identity.name] * directions
    names = tuple(node.attr("activations") or usual)
    if len(names) < len(usual):
        raise Unlowered(f"it has {len(names)} activations of {len(usual)}")
    alphas = iter(node.attr("activation_alpha") or ())
    betas = iter(node.attr("activation_beta") or ())
    for name in names:
        kind = _KINDS.get(name.lower())
        if kind is None:
            raise Unlowered(f"{name!r} is no activation of recurrent layers")
        alpha = 0.0 if kind.alpha is None else next(alphas, kind.alpha)
        beta = 0.0 if kind.beta is None else next(betas, kind.beta)
        yield lambda x, kind=kind, a=alpha, b=beta: kind.write(op, x, a, b)  # type: ignore[misc]


@lowers("LSTM", "GRU", "RNN")
def recurrent(node: OnnxNode) -> list[Expr]:
    """Every direction by itself: all steps, and the last states."""
    for place in range(3):
        node.check_rank(place, 3)
    name = node.identity.name
    told = node.attr("direction", "forward")
    if told not in _DIRECTIONS:
        raise Unlowered(f"its direction is {told!r}")
    ways = _DIRECTIONS[told]
    layer = _Layer(node)
    per = len(_DEFAULTS[name])
    functions = list(_activations(node, layer.op, len(ways)))
    parts = [
        layer.direction(place, functions[place * per : place * per + per], is_back=is_back)
        for place, is_back in enumerate(ways)
    ]
    whole, *last = [
        build("concatenate", Tuple(list(each)), axis=1 if at == 0 else 0)
        for at, each in enumerate(zip(*parts, strict=True))
    ]
    if layer.is_turned:
        whole = build("transpose", whole, axes=(2, 0, 1, 3))
        last = [build("transpose", each, axes=(1, 0, 2)) for each in last]
    return [build("cast", each, node.dtype()) for each in (whole, *last)]


def _take(expr: Expr, place: int, axis: int = 0) -> Expr:
    """Return one slice of an axis, without the axis."""
    return build("take", expr, const(place, "int32"), axis=axis)


class _Layer:
    """What all directions of a layer have in common.

    Attributes:
        op: Arithmetic in the element type that states are computed in.
        is_turned: Whether the batch comes before the steps.
    """

    def __init__(self, node: OnnxNode) -> None:
        self.op = Numbers(work_type(node.dtype()))
        self.is_turned = bool(node.attr("layout", 0))
        self._node = node
        first, second, _ = node.type(0).shape
        batch, steps = (first, second) if self.is_turned else (second, first)
        hidden = node.type(2).shape[2]
        if not isinstance(steps, int):
            raise Unlowered("how many steps there are is known only when it runs")
        if not isinstance(hidden, int):
            raise Unlowered("the size of its state is known only when it runs")
        self._steps, self._batch, self._hidden = steps, batch, hidden
        self._lengths = None
        if node.has(4):
            lengths = build("cast", node.input(4), "int64")
            self._lengths = build("expand_dims", lengths, axis=1)

    def given(self, place: int) -> Expr:
        """Return an input in the element type that states are computed in."""
        return build("cast", self._node.input(place), self.op.dtype)

    def _start(self, place: int, direction: int) -> Expr:
        """Return the state before the first step of a direction."""
        if self._node.has(place):
            return _take(self.given(place), direction, axis=1 if self.is_turned else 0)
        if not isinstance(self._batch, int):
            raise Unlowered("the size of its batch is known only when it runs")
        return build("full", self.op.of(0), (self._batch, self._hidden))

    def direction(
        self, place: int, functions: Sequence[Activation], *, is_back: bool
    ) -> tuple[Expr, ...]:
        """Return all steps, the last state, and the last cell if there is one, of one direction."""
        cell = _Cell(self._node, self, place, self._hidden, functions)
        states = [self._start(5, place)]
        if self._node.identity.name == "LSTM":
            states.append(self._start(6, place))
        x = self.given(0)
        outputs: list[Expr] = [states[0]] * self._steps
        for step in range(self._steps - 1, -1, -1) if is_back else range(self._steps):
            new = cell.step(_take(x, step, axis=1 if self.is_turned else 0), states)
            shown = new[0]
            if self._lengths is not None:
                goes = build("less", const(step, "int64"), self._lengths)
                new = [build("where", goes, a, b) for a, b in zip(new, states, strict=True)]
                shown = self.op("where", goes, shown, 0)
            states = new
            outputs[step] = build("expand_dims", build("expand_dims", shown, axis=0), axis=0)
        stacked = build("concatenate", Tuple(outputs), axis=0)
        return stacked, *[build("expand_dims", each, axis=0) for each in states]


class _Cell:
    """The weights of one direction, and what a step computes with them."""

    def __init__(
        self,
        node: OnnxNode,
        layer: _Layer,
        place: int,
        hidden: int,
        functions: Sequence[Activation],
    ) -> None:
        self.name = node.identity.name
        self.hidden = hidden
        self.op = layer.op
        self.functions = functions
        self.clip = float(node.attr("clip") or 0)
        self.coupled = bool(node.attr("input_forget", 0))
        self.late_reset = bool(node.attr("linear_before_reset", 0))
        self.input_weight = _take(layer.given(1), place)
        self.state_weight = _take(layer.given(2), place)
        gates = _GATES[self.name]
        self.input_bias: Expr | None = None
        self.state_bias: Expr | None = None
        if node.has(3):
            both = _take(layer.given(3), place)
            self.input_bias = self._part(both, 0, gates, axis=0)
            self.state_bias = self._part(both, gates, 2 * gates, axis=0)
        self.peephole = None
        if self.name == "LSTM" and node.has(7):
            self.peephole = _take(layer.given(7), place)

    def _part(self, expr: Expr, first: int, last: int, axis: int) -> Expr:
        """Return gates ``first`` to ``last`` of what holds all of them."""
        h = self.hidden
        return build("strided_slice", expr, begin=[first * h], end=[last * h], axes=[axis])

    def _linear(self, x: Expr, weight: Expr, bias: Expr | None) -> Expr:
        found = build("nn.dense", x, weight)
        return found if bias is None else build("add", found, bias)

    def _through(self, place: int, x: Expr) -> Expr:
        """Return what an activation makes of numbers, which are clipped before."""
        if self.clip:
            x = self.op("minimum", self.op("maximum", x, -self.clip), self.clip)
        return self.functions[place](x)

    def step(self, x: Expr, states: Sequence[Expr]) -> list[Expr]:
        """Return the next state, and the next cell if there is one."""
        given = self._linear(x, self.input_weight, self.input_bias)
        if self.name == "GRU":
            return [self._gru(given, states[0])]
        kept = self._linear(states[0], self.state_weight, self.state_bias)
        both = build("add", given, kept)
        if self.name == "RNN":
            return [self._through(0, both)]
        return self._lstm(both, states[1])

    def _lstm(self, both: Expr, memory: Expr) -> list[Expr]:
        op = self.op
        i, o, f, c = [self._part(both, place, place + 1, axis=1) for place in range(4)]
        if self.peephole is not None:
            p = [self._part(self.peephole, place, place + 1, axis=0) for place in range(3)]
            i = op("add", i, op("multiply", p[0], memory))
            f = op("add", f, op("multiply", p[2], memory))
        entering = self._through(0, i)
        keeping = op("subtract", 1, entering) if self.coupled else self._through(0, f)
        kept = op("multiply", keeping, memory)
        new = op("add", kept, op("multiply", entering, self._through(1, c)))
        if self.peephole is not None:
            o = op("add", o, op("multiply", p[1], new))
        return [op("multiply", self._through(0, o), self.functions[2](new)), new]

    def _gru(self, given: Expr, state: Expr) -> Expr:
        op = self.op
        kept = self._linear(state, self._part(self.state_weight, 0, 2, axis=0), None)
        bias, last_bias = None, None
        if self.state_bias is not None:
            bias = self._part(self.state_bias, 0, 2, axis=0)
            last_bias = self._part(self.state_bias, 2, 3, axis=0)
            kept = build("add", kept, bias)
        both = build("add", self._part(given, 0, 2, axis=1), kept)
        z = self._through(0, self._part(both, 0, 1, axis=1))
        r = self._through(0, self._part(both, 1, 2, axis=1))
        weight = self._part(self.state_weight, 2, 3, axis=0)
        if self.late_reset:
            inner = build("multiply", r, self._linear(state, weight, last_bias))
        else:
            inner = self._linear(build("multiply", r, state), weight, last_bias)
        new = self._through(1, build("add", self._part(given, 2, 3, axis=1), inner))
        rest = op("subtract", 1, z)
        return build("add", build("multiply", rest, new), build("multiply", z, state))
