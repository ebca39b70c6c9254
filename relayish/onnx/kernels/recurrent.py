"""Recurrent layers: projections of all steps at once, then one product a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import widen
from relayish.onnx.kernels.recurrent_activations import Activation, find_activations
from relayish.onnx.kernels.registry import Array, kernel

State = tuple[Array, ...]
Step = Callable[[Array, State], State]


class LayerAttributes(TypedDict, total=False):
    """Attributes that all recurrent layers have: those of :class:`Layer`."""

    activation_alpha: tuple[float, ...] | None
    activation_beta: tuple[float, ...] | None
    clip: float | None
    direction: str
    hidden_size: int | None
    layout: int
    output_sequence: int


@kernel("RNN", since=(1, 7, 14, 22), added={"layout": 14}, removed={"output_sequence": 7})
def rnn(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    *,
    activations: tuple[str, ...] = ("Tanh", "Tanh"),
    **attributes: Unpack[LayerAttributes],
) -> tuple[Array, Array]:
    """Return states of all steps (steps, directions, batch, hidden), and the last.

    ``x`` is (steps, batch, input); where ``layout`` is 1, the batch comes first in all.
    """
    layer = Layer(x, w, r, b, sequence_lens, activations, gates=1, usual=("Tanh",), **attributes)
    clip = layer.clip

    def step_of(index: int) -> Step:
        (activate,) = layer.functions[index]
        recurrence, bias = layer.recurrence(index), layer.bias(index)

        def step(projected: Array, state: State) -> State:
            return (activate(_clip(projected + state[0] @ recurrence + bias[1], clip)),)

        return step

    y, (last,) = layer.run(step_of, (initial_h,))
    return y, last


@kernel(
    "GRU",
    since=(1, 3, 7, 14, 22),
    added={"linear_before_reset": 3, "layout": 14},
    removed={"output_sequence": 7},
)
def gru(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    *,
    activations: tuple[str, ...] | None = None,
    linear_before_reset: int = 0,
    **attributes: Unpack[LayerAttributes],
) -> tuple[Array, Array]:
    """Return states of all steps (steps, directions, batch, hidden), and the last."""
    layer = Layer(
        x, w, r, b, sequence_lens, activations, gates=3, usual=("Sigmoid", "Tanh"), **attributes
    )
    clip, size = layer.clip, layer.hidden

    def step_of(index: int) -> Step:
        sigma, tanh = layer.functions[index]
        recurrence, bias = layer.recurrence(index), layer.bias(index)
        gates, candidate = recurrence[:, : 2 * size], recurrence[:, 2 * size :]
        gates_bias, candidate_bias = bias[1, : 2 * size], bias[1, 2 * size :]

        def step(projected: Array, state: State) -> State:
            (h,) = state
            zr = sigma(_clip(projected[:, : 2 * size] + h @ gates + gates_bias, clip))
            update, reset = zr[:, :size], zr[:, size:]
            if linear_before_reset:
                inner = reset * (h @ candidate + candidate_bias)
            else:
                inner = (reset * h) @ candidate + candidate_bias
            new = tanh(_clip(projected[:, 2 * size :] + inner, clip))
            return ((1 - update) * new + update * h,)

        return step

    y, (last,) = layer.run(step_of, (initial_h,))
    return y, last


@kernel("LSTM", since=(1, 7, 14, 22), added={"layout": 14}, removed={"output_sequence": 7})
def lstm(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    initial_c: Array | None = None,
    p: Array | None = None,
    *,
    activations: tuple[str, ...] | None = None,
    input_forget: int = 0,
    **attributes: Unpack[LayerAttributes],
) -> tuple[Array, Array, Array]:
    """Return states of all steps (steps, directions, batch, hidden), the last, and the last cell.

    ``p`` (directions, 3 * hidden) are the weights of the peepholes: input, output, forget.
    """
    layer = Layer(
        x,
        w,
        r,
        b,
        sequence_lens,
        activations,
        gates=4,
        usual=("Sigmoid", "Tanh", "Tanh"),
        **attributes,
    )
    if p is not None:
        _check_shape("P", p, (layer.directions, 3 * layer.hidden))

    def step_of(index: int) -> Step:
        bias = layer.bias(index)
        peepholes = None if p is None else np.split(widen(p[index]), 3)
        return _lstm_step(
            layer.functions[index],
            layer.recurrence(index),
            bias[1],
            peepholes,
            layer.clip,
            input_forget,
        )

    y, (last, cell) = layer.run(step_of, (initial_h, initial_c))
    return y, last, cell


def _lstm_step(
    functions: Sequence[Activation],
    recurrence: Array,
    bias: Array,
    peepholes: Sequence[Array] | None,
    clip: float | None,
    input_forget: int,
) -> Step:
    """Return the step of an LSTM, whose gates are input, output, forget and cell, in that order."""
    sigma, tanh, last_tanh = functions
    size = recurrence.shape[0]

    def step(projected: Array, state: State) -> State:
        h, c = state
        gates = projected + h @ recurrence + bias
        if peepholes is None and not input_forget:
            open_gates = sigma(_clip(gates[:, : 3 * size], clip))
            enter, leave, keep = (open_gates[:, n * size : (n + 1) * size] for n in range(3))
            cell = keep * c + enter * tanh(_clip(gates[:, 3 * size :], clip))
            return leave * last_tanh(cell), cell
        entering, leaving, keeping, candidate = (
            gates[:, n * size : (n + 1) * size] for n in range(4)
        )
        if peepholes is not None:
            entering, keeping = entering + peepholes[0] * c, keeping + peepholes[2] * c
        enter = sigma(_clip(entering, clip))
        keep = 1 - enter if input_forget else sigma(_clip(keeping, clip))
        cell = keep * c + enter * tanh(_clip(candidate, clip))
        if peepholes is not None:
            leaving = leaving + peepholes[1] * cell
        return sigma(_clip(leaving, clip)) * last_tanh(cell), cell

    return step


def _clip(x: Array, bound: float | None) -> Array:
    return x if not bound else np.clip(x, -bound, bound)


def _check_shape(what: str, value: Array, shape: tuple[int, ...]) -> None:
    if value.shape != shape:
        raise EvaluationError(f"{what} has shape {value.shape}; expected {shape}")


class Layer:
    """The inputs that all recurrent layers have, checked, and the loop over steps."""

    def __init__(
        self,
        x: Array,
        w: Array,
        r: Array,
        b: Array | None,
        sequence_lens: Array | None,
        activations: tuple[str, ...] | None,
        *,
        gates: int,
        usual: tuple[str, ...],
        activation_alpha: tuple[float, ...] | None = None,
        activation_beta: tuple[float, ...] | None = None,
        clip: float | None = None,
        direction: str = "forward",
        hidden_size: int | None = None,
        layout: int = 0,
        output_sequence: int = 0,  # noqa: ARG002 - the states of all steps are returned anyway
    ) -> None:
        known = {"forward": 1, "foward": 1, "reverse": 1, "bidirectional": 2}
        if direction not in known:
            raise EvaluationError(
                f"direction is {direction!r}; expected forward, reverse or bidirectional"
            )
        if x.ndim != 3 or r.ndim != 3:
            raise EvaluationError(
                f"X has shape {x.shape}, R has {r.shape}; expected three dimensions of both"
            )
        self.directions = known[direction]
        self.hidden = r.shape[2] if hidden_size is None else hidden_size
        _check_shape("W", w, (self.directions, gates * self.hidden, x.shape[2]))
        _check_shape("R", r, (self.directions, gates * self.hidden, self.hidden))
        if b is not None:
            _check_shape("B", b, (self.directions, 2 * gates * self.hidden))
        self._dtype: np.dtype[Any] = x.dtype  # Any: known when the value is
        self._layout = layout
        self._x = widen(x.swapaxes(0, 1) if layout else x)
        self._w, self._r = widen(w), widen(r)
        width = gates * self.hidden
        zeros = np.zeros((self.directions, 2 * width), self._x.dtype)
        self._b = (zeros if b is None else widen(b)).reshape(self.directions, 2, width)
        self._reverse = [direction == "reverse", True][: self.directions]
        self._lengths = self._check_lengths(sequence_lens)
        self.clip = clip
        self.functions = find_activations(
            activations, activation_alpha, activation_beta, usual, self.directions
        )

    def _check_lengths(self, lengths: Array | None) -> Array | None:
        steps, batch = self._x.shape[:2]
        if lengths is None:
            return None
        _check_shape("sequence_lens", lengths, (batch,))
        if lengths.size and (lengths.min() < 0 or lengths.max() > steps):
            raise EvaluationError(
                f"sequence_lens has lengths {lengths.min()} to {lengths.max()}; expected 0 to "
                f"{steps}, as many steps as X has"
            )
        return None if (lengths == steps).all() else lengths.astype(np.int64)

    def recurrence(self, index: int) -> Array:
        """Return the weights (hidden, gates * hidden) of the states of a direction."""
        return np.ascontiguousarray(self._r[index].T)

    def bias(self, index: int) -> Array:
        """Return the biases (2, gates * hidden) of a direction: of inputs and of states."""
        bias: Array = self._b[index]
        return bias

    def run(
        self, step_of: Callable[[int], Step], initial: tuple[Array | None, ...]
    ) -> tuple[Array, State]:
        """Return the states after all steps, and all parts of the last state."""
        steps, batch = self._x.shape[:2]
        whole = np.zeros((steps, self.directions, batch, self.hidden), self._x.dtype)
        finals = [
            self._run_direction(index, step_of(index), self._start(index, initial), whole)
            for index in range(self.directions)
        ]
        last = tuple(np.stack(parts) for parts in zip(*finals, strict=True))
        if self._layout:
            whole = whole.transpose(2, 0, 1, 3)
            last = tuple(part.swapaxes(0, 1) for part in last)
        return (
            whole.astype(self._dtype, copy=False),
            tuple(part.astype(self._dtype, copy=False) for part in last),
        )

    def _start(self, index: int, initial: tuple[Array | None, ...]) -> State:
        batch = self._x.shape[1]
        shape = (self.directions, batch, self.hidden)
        found = []
        for what, value in zip(("initial_h", "initial_c"), initial, strict=False):
            if value is None:
                found.append(np.zeros(shape[1:], self._x.dtype))
                continue
            _check_shape(what, value, (shape[1], shape[0], shape[2]) if self._layout else shape)
            found.append(widen(value[:, index] if self._layout else value[index]))
        return tuple(found)

    def _run_direction(self, index: int, step: Step, state: State, whole: Array) -> State:
        """Write the states of one direction into ``whole``; return the last of each sequence."""
        steps, batch = self._x.shape[:2]
        flat = self._x.reshape(steps * batch, self._x.shape[2]) @ self._w[index].T
        projected = flat.reshape(steps, batch, flat.shape[1]) + self._b[index, 0]
        for at in range(steps - 1, -1, -1) if self._reverse[index] else range(steps):
            new = step(projected[at], state)
            if self._lengths is None:
                state = new
                whole[at, index] = state[0]
                continue
            going = (at < self._lengths)[:, None]
            state = tuple(np.where(going, part, old) for part, old in zip(new, state, strict=True))
            whole[at, index] = np.where(going, state[0], 0)
        return state
