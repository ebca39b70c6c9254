"""Random networks: convolutions, products and what stands between them, well-typed and finite.

A network is determined by its seed and size (how many layers it has). While it is made it is also
evaluated, on the arguments :func:`random_network_arguments` returns, and what would grow out of
proportion is left out; so is all of which a small error makes a large one (comparisons, rounding),
so that passes that rearrange arithmetic can be held to the value before, closely.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from relayish import op as operators
from relayish.interpreter.value import normalise
from relayish.ir.relay.expr import Call, Constant, Expr, Function, GlobalVar, If, Let, Tuple, Var
from relayish.ir.relay.expr import TupleGetItem as Item
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op import nn
from relayish.op.declaration.properties import evaluate

__all__ = ["Network", "random_network", "random_network_arguments"]

LARGEST = 30.0
"""So large an element of a tensor may be."""
MOST = 1500
"""So many elements a tensor may have."""

Value = Any  # an array, or a tuple of such


class Known(NamedTuple):
    """An expression with its value, and what its axes mean: a layout, or nothing known."""

    expr: Expr
    value: Value
    layout: str = ""


def random_network(seed: int, size: int = 20) -> IRModule:
    """Return a module whose ``main`` is a random network of about ``size`` layers."""
    return Network(seed, size).module()


def random_network_arguments(mod: IRModule, seed: int) -> list[np.ndarray]:
    """Return the arguments on which ``main`` of the network of ``seed`` was made."""
    types = [param.type_annotation for param in mod["main"].params]
    return [_argument(seed, place, ty.shape, ty.dtype) for place, ty in enumerate(types)]


def _argument(seed: int, place: int, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    rng = np.random.default_rng([seed, place])
    if dtype == "bool":
        return np.asarray(rng.random(shape) < 0.5)
    if dtype.startswith("int"):
        return np.asarray(rng.integers(-4, 5, shape), dtype)
    return np.asarray(rng.normal(0, 1, shape), dtype)


class Network:
    """The state while one network is made."""

    def __init__(self, seed: int, size: int) -> None:
        self.seed = seed
        self.random = random.Random(f"network {seed} {size}")
        self.rng = np.random.default_rng(seed)
        self.params: list[Var] = []
        self.values: dict[Expr, Value] = {}
        self.bindings: list[tuple[Var, Expr]] = []
        self.pool: list[Known] = []
        self.functions: dict[GlobalVar, Function] = {}
        self.nesting = 0
        for _ in range(self.random.choice((1, 1, 2))):
            self.add(self.input())
        for _ in range(size):
            self.step()

    def module(self) -> IRModule:
        """Return the network; it returns one tensor, or several."""
        last = self.pool[-1]
        found = [last.expr]
        if self.random.random() < 0.6:
            found += [self.any().expr for _ in range(self.random.choice((1, 2, 3)))]
        result = found[0] if len(found) == 1 else Tuple(found)
        body = self.bound(result, self.bindings)
        main = Function(self.params, body)
        return IRModule({**{var.name_hint: f for var, f in self.functions.items()}, "main": main})

    # What there is

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def any(self, layouts: tuple[str, ...] | None = None) -> Known:
        """Return something there is, rather the newest."""
        found = [k for k in self.pool if layouts is None or k.layout in layouts]
        if not found:
            return self.add(self.input(layouts))
        return found[-1] if self.chance(0.5) else self.random.choice(found)

    def add(self, known: Known) -> Known:
        """Make something available to what follows, at times bound by a let."""
        expr = known.expr
        if isinstance(expr, Call) and self.chance(0.25):
            var = Var(f"v{len(self.bindings)}")
            self.bindings.append((var, expr))
            known = known._replace(expr=var)
        self.pool.append(known)
        return known

    def bound(self, result: Expr, bindings: list[tuple[Var, Expr]]) -> Expr:
        for var, value in reversed(bindings):
            result = Let(var, value, result)
        return result

    def input(self, layouts: tuple[str, ...] | None = None) -> Known:
        layout = self.random.choice(layouts or ("NCHW", "NCHW", "NCHW", "NHWC", "NC", "BNC"))
        small, side = (1, 2, 3, 4), (5, 6)
        shape = {
            "NCHW": lambda pick: (pick((1, 2)), pick(small), pick(side), pick(side)),
            "NHWC": lambda pick: (pick((1, 2)), pick(side), pick(side), pick(small)),
            "NCDHW": lambda pick: (1, pick((1, 2)), 3, 4, 4),
            "NC": lambda pick: (pick((1, 2, 3)), pick((2, 3, 4))),
            "BNC": lambda pick: (pick((1, 2)), pick((2, 3)), pick((2, 3, 4))),
        }[layout](self.random.choice)
        return self.parameter(shape, layout=layout)

    def parameter(self, shape: tuple[int, ...], dtype: str = "float32", layout: str = "") -> Known:
        var = Var(f"p{len(self.params)}", TensorType(shape, dtype))
        value = _argument(self.seed, len(self.params), shape, dtype)
        self.params.append(var)
        return Known(var, value, layout)

    def constant(self, shape: tuple[int, ...], kind: str = "any") -> Known:
        """Return a constant: of any numbers, of positive ones, or small ones for weights."""
        if kind == "positive" or (kind == "scale" and self.chance(0.6)):
            value = self.rng.uniform(0.25, 2, shape)
        else:
            value = self.rng.normal(0, 1, shape)
        made = np.asarray(value, "float32")
        return Known(Constant(made), made)

    def weight(self, shape: tuple[int, ...]) -> Known:
        """Return a weight: a constant, or a parameter."""
        if self.nesting == 0 and self.chance(0.4):
            return self.parameter(shape)
        inputs = max(1, int(np.prod(shape[1:])))
        made = np.asarray(self.rng.normal(0, 1 / np.sqrt(inputs), shape), "float32")
        return Known(Constant(made), made)

    # Making calls

    def call(
        self, build: Callable[..., Any], *args: Known, layout: str = "", **attrs: Any
    ) -> Known:
        """Return the call of an operator with its value."""
        made = build(*[arg.expr for arg in args], **attrs)
        if not isinstance(made, Call):  # several outputs, wrapped for scripts
            made = made.tuple_value
        with np.errstate(all="ignore"):
            value = evaluate.get(made.op)(made.attrs, *[arg.value for arg in args])
        return Known(made, normalise(value), layout)

    def tuple(self, *fields: Known) -> Known:
        return Known(Tuple([f.expr for f in fields]), tuple(f.value for f in fields))

    def item(self, known: Known, index: int, layout: str = "") -> Known:
        return Known(Item(known.expr, index), known.value[index], layout)

    def offer(self, known: Known) -> bool:
        """Take a layer into the network, if it is small, finite and not empty."""
        value = np.asarray(known.value)
        sound = 0 < value.size <= MOST and np.isfinite(value).all()
        if sound and np.abs(value).max() > LARGEST:
            known = self.call(operators.tanh, known, layout=known.layout)
        if sound:
            self.add(known)
        return bool(sound)

    # Layers

    def step(self) -> None:
        rules = [self.convolve] * 4 + [self.map] * 5 + [self.join] * 2 + [self.dense] * 2
        rules += [self.unit] * 4 + [self.branches] * 3 + [self.pool_window] * 2 + [self.reshaped]
        rules += [self.batch_matmul] * 2 + [self.split, self.atrous, self.padded, self.three]
        if self.nesting == 0:
            rules += [self.branch, self.block]
        self.random.choice(rules)()

    def channels(self, known: Known) -> int:
        return known.value.shape[self.axis(known)]

    def axis(self, known: Known) -> int:
        return known.layout.index("C")

    def per_channel(self, known: Known, kind: str = "scale") -> Known:
        """Return numbers that broadcast to ``known``: one for each channel, or one, or all."""
        shape = [1] * known.value.ndim
        if known.layout and self.chance(0.85):
            shape[self.axis(known)] = self.channels(known)
            cut = self.random.choice((0, self.axis(known)))
            if known.layout[0] == "N" and self.chance(0.8):
                cut = self.axis(known)
            shape = shape[cut:]
        elif self.chance(0.2):
            shape = list(known.value.shape)
        else:
            shape = shape[len(shape) - self.random.choice((0, 1)) :]
        if kind == "bias" and self.nesting == 0 and self.chance(0.3):
            return self.parameter(tuple(shape))
        return self.constant(tuple(shape), kind)

    def convolution(self, known: Known, **given: Any) -> Known:
        """Return a convolution of two dimensions, with attributes as they come."""
        pick = self.random.choice
        channels, groups = self.channels(known), 1
        out = pick((1, 2, 3, 4))
        if self.chance(0.25) and channels > 1:
            groups = channels
            out = channels * pick((1, 1, 2))
        elif self.chance(0.2) and channels % 2 == 0:
            groups, out = 2, pick((2, 4))
        kernel = given.pop("kernel", None) or pick(((1, 1), (3, 3), (3, 3), (2, 3)))
        padding = pick(((0, 0), (1, 1), (1, 1), (1, 0, 0, 1), (1, 1, 1, 1)))
        strides, dilation = pick(((1, 1), (1, 1), (2, 1), (2, 2))), pick(((1, 1), (1, 1), (1, 2)))
        attrs = {"groups": groups, "padding": padding, "strides": strides, "dilation": dilation}
        attrs |= {"channels": out, "kernel_size": kernel, **given}
        if attrs["channels"] % attrs["groups"] or channels % attrs["groups"]:
            attrs["groups"] = 1
        inner, out = channels // attrs["groups"], attrs["channels"]
        if known.layout == "NHWC":
            layouts = {"data_layout": "NHWC", "kernel_layout": "HWIO"}
            shape = (*kernel, inner, out)
            if inner == 1 and self.chance(0.5):
                layouts["kernel_layout"], shape = "HWOI", (*kernel, out, inner)
            weight = self.weight(shape)
        else:
            layouts = {}
            weight = self.weight((out, inner, *kernel))
        if self.chance(0.3):
            del attrs["channels"], attrs["kernel_size"]
        return self.call(nn.conv2d, known, weight, layout=known.layout, **layouts, **attrs)

    def fits(self, known: Known) -> bool:
        """Return whether a window of three, two apart, has room."""
        sides = [s for s, a in zip(known.value.shape, known.layout, strict=True) if a in "HW"]
        return min(sides) >= 5

    def image(self) -> Known:
        """Return something to convolve."""
        found = self.any(("NCHW", "NHWC"))
        return found if self.fits(found) else self.add(self.input(("NCHW", "NCHW", "NHWC")))

    def convolve(self) -> None:
        self.offer(self.convolution(self.image()))

    def dense(self) -> None:
        known = self.any(("NC",))
        units = self.random.choice((1, 2, 3, 4))
        attrs = {"units": units} if self.chance(0.5) else {}
        self.offer(
            self.call(
                nn.dense, known, self.weight((units, self.channels(known))), layout="NC", **attrs
            )
        )

    def batch_matmul(self) -> None:
        known = self.any(("BNC",))
        batch, _, inner = known.value.shape
        units = self.random.choice((1, 2, 3))
        if self.chance(0.3):
            other = self.weight((batch, inner, units))
            made = self.call(nn.batch_matmul, known, other, transpose_b=False, layout="BNC")
        else:
            made = self.call(
                nn.batch_matmul, known, self.weight((batch, units, inner)), layout="BNC"
            )
        self.offer(made)

    def three(self) -> None:
        """Convolve in three dimensions."""
        if self.chance(0.5):
            return
        known = self.any(("NCDHW",))
        out = self.random.choice((1, 2))
        weight = self.weight((out, self.channels(known), 3, 3, 3))
        self.offer(self.call(nn.conv3d, known, weight, padding=(1, 1, 1), layout="NCDHW"))

    # Maps from a tensor to one of the same shape

    def mapped(self, known: Known, name: str | None = None) -> Known:
        """Return ``known`` with something done to each of its elements, or channels."""
        layout = known.layout
        name = name or self.random.choice((*_MAPS, *_MAPS, *_UNARY, *_OTHER))
        if name in _MAPS:
            build = getattr(operators, name)
            other = self.per_channel(known, "bias" if name in ("add", "subtract") else "scale")
            if name == "divide":
                other = self.per_channel(known, "positive")
            if self.chance(0.25) and name in ("add", "multiply"):
                return self.call(build, other, known, layout=layout)
            return self.call(build, known, other, layout=layout)
        if name in _UNARY:
            return self.call(_UNARY[name], known, layout=layout)
        if name == "like":
            made = self.call(getattr(operators, self.random.choice(_LIKE)), known, layout=layout)
            return self.call(operators.multiply, made, known, layout=layout)
        if name == "cast":
            wide = self.call(operators.cast, known, dtype="float64", layout=layout)
            return self.call(operators.cast, wide, dtype="float32", layout=layout)
        if name == "clip":
            return self.call(operators.clip, known, a_min=-2.0, a_max=6.0, layout=layout)
        if name == "leaky_relu":
            return self.call(nn.leaky_relu, known, alpha=0.25, layout=layout)
        if name == "softmax":
            axis = self.random.choice((-1, min(1, known.value.ndim - 1)))
            return self.call(nn.softmax, known, axis=axis, layout=layout)
        if name == "dropout":
            made = self.call(nn.dropout, known, rate=0.5)
            return self.item(made, 0, layout)
        if not layout:
            return self.call(nn.relu, known)
        return self.of_channels(known, name)

    def of_channels(self, known: Known, name: str) -> Known:
        """Return ``known`` with something done to it that has parameters for each channel."""
        axis, count, layout = self.axis(known), self.channels(known), known.layout
        if name == "bias_add":
            made = self.weight((count,))
            return self.call(nn.bias_add, known, made, axis=axis, layout=layout)
        if name == "prelu":
            alpha = self.constant((count,), "positive")
            return self.call(nn.prelu, known, alpha, axis=axis, layout=layout)
        if name == "batch_norm":
            numbers = [self.constant((count,), k) for k in ("scale", "any", "any", "positive")]
            attrs = {"axis": axis, "epsilon": 1e-3, "center": self.chance(0.8)}
            attrs["scale"] = self.chance(0.8)
            return self.item(self.call(nn.batch_norm, known, *numbers, **attrs), 0, layout)
        gamma, beta = self.constant((count,), "positive"), self.constant((count,))
        if name == "instance_norm" and known.value.ndim > 2:
            return self.call(
                nn.instance_norm, known, gamma, beta, axis=axis, epsilon=0.1, layout=layout
            )
        return self.call(nn.layer_norm, known, gamma, beta, axis=axis, epsilon=0.1, layout=layout)

    def map(self) -> None:
        self.offer(self.mapped(self.any()))

    def unit(self) -> None:
        """Add a unit as networks have them: scale, convolution, bias, normalisation, activation."""
        known = self.image()
        for name in self.random.choice(_BEFORE):
            known = self.kept(self.mapped(known, name))
        known = self.kept(self.convolution(known))
        for name in self.random.choice(_AFTER):
            known = self.kept(self.mapped(known, name))
        self.offer(known)

    def kept(self, known: Known) -> Known:
        """Return what was made; at times it is there for others too."""
        return self.add(known) if self.chance(0.15) else known

    def branches(self) -> None:
        """Add several layers of one kind beside each other, and what follows each."""
        kind = self.random.choice((self.some_convolutions, self.some_products, self.some_matmuls))
        found = kind(self.random.choice((2, 3, 3, 4)))
        names = [self.random.choice(("add", "multiply", "relu", "bias_add")) for _ in range(2)]
        for place, known in enumerate(found):
            for name in names[: self.random.choice((2, 2, 2, 1, 0))]:
                known = self.mapped(known, name)  # noqa: PLW2901 - one after the other
            found[place] = known
        if self.chance(0.3) and len({f.value.shape for f in found}) == 1:
            found.append(self.call(operators.add, found[0], found[-1], layout=found[0].layout))
        for known in found:
            self.offer(known)

    def some_convolutions(self, count: int) -> list[Known]:
        known = self.image()
        attrs: dict[str, Any] = {
            "padding": self.random.choice(((0, 0), (1, 1))),
            "groups": 1,
            "strides": (1, 1),
            "dilation": (1, 1),
            "kernel": self.random.choice(((1, 1), (3, 3))),
        }
        alike = self.chance(0.4)
        found = []
        for _ in range(count):
            given = dict(attrs)
            given["channels"] = 2 if alike else self.random.choice((1, 2, 3))
            if self.chance(0.15):
                given["strides"] = (2, 1)
            found.append(self.convolution(known, **given))
        return found

    def some_products(self, count: int) -> list[Known]:
        known = self.any(("NC",))
        units, alike = self.random.choice((1, 2, 3)), self.chance(0.6)
        found = []
        for _ in range(count):
            rows = units if alike else self.random.choice((1, 2, 3))
            weight = self.weight((rows, self.channels(known)))
            found.append(self.call(nn.dense, known, weight, layout="NC"))
        return found

    def some_matmuls(self, count: int) -> list[Known]:
        known = self.any(("BNC",))
        batch, _, inner = known.value.shape
        alike = self.chance(0.6)
        found = []
        for _ in range(count):
            rows = 2 if alike else self.random.choice((1, 2, 3))
            weight = self.weight((batch, rows, inner))
            found.append(self.call(nn.batch_matmul, known, weight, layout="BNC"))
        return found

    # Windows, joints and shapes

    def pool_window(self) -> None:
        known = self.image()
        pick = self.random.choice
        attrs = {
            "pool_size": pick(((2, 2), (3, 3), (1, 1))),
            "strides": pick(((1, 1), (2, 2))),
            "padding": pick(((0, 0), (0, 0), (1, 1))),
            "layout": known.layout,
        }
        if attrs["pool_size"] == (1, 1):
            attrs["padding"] = (0, 0)
        if self.chance(0.2):
            build = pick((nn.global_avg_pool2d, nn.global_max_pool2d))
            made = build(known.expr, layout=known.layout)
        elif self.chance(0.5):
            made = nn.max_pool2d(known.expr, **attrs)
        else:
            made = nn.avg_pool2d(known.expr, count_include_pad=self.chance(0.5), **attrs)
        value = evaluate.get(made.op)(made.attrs, known.value)
        self.offer(Known(made, normalise(value), known.layout))

    def padded(self) -> None:
        """Pad, then convolve or pool."""
        known = self.image()
        widths = [
            self.random.choice(((1, 1), (0, 1), (2, 0))) if axis in "HW" else (0, 0)
            for axis in known.layout
        ]
        value = self.random.choice((0.0, 0.0, 0.0, -3.4028234663852886e38, 1.0))
        filled = Known(Constant(np.float32(value)), np.float32(value))

        def pad(data: Expr, pad_value: Expr) -> Any:
            return nn.pad(data, widths, pad_value)

        made = self.call(pad, known, filled, layout=known.layout)
        if np.abs(value) <= 1 and self.chance(0.6):
            self.offer(self.convolution(made))
            return
        attrs = {"pool_size": (2, 2), "strides": (2, 2), "layout": made.layout}
        attrs["padding"] = self.random.choice(((0, 0), (0, 0), (1, 1)))
        if np.abs(value) > 1 or self.chance(0.5):
            pool = nn.max_pool2d(made.expr, **attrs)
        else:
            pool = nn.avg_pool2d(made.expr, count_include_pad=self.chance(0.7), **attrs)
        result = evaluate.get(pool.op)(pool.attrs, made.value)
        self.offer(Known(pool, normalise(result), made.layout))

    def atrous(self) -> None:
        """Convolve between space_to_batch_nd and batch_to_space_nd."""
        known = self.image()
        axes = [known.value.shape[known.layout.index(a)] for a in "HW"]
        if known.layout == "NCHW":  # the blocks are those of the first axes behind the batch
            return
        block = self.random.choice(((2, 2), (1, 2)))
        behind = [-(size + 2) % b + 1 for size, b in zip(axes, block, strict=True)]
        paddings = [[1, b] for b in behind]
        batches = self.call(
            nn.space_to_batch_nd, known, block_shape=block, paddings=paddings, layout="NHWC"
        )
        if min(batches.value.shape[1:3]) < 3:
            return
        attrs = {"strides": (1, 1), "dilation": (1, 1), "padding": (0, 0), "kernel": (3, 3)}
        made = self.convolution(batches, groups=1, **attrs)
        crops = [[0, self.random.choice((0, 1))] for _ in block]
        back = self.call(nn.batch_to_space_nd, made, block_shape=block, crops=crops, layout="NHWC")
        self.offer(back)

    def join(self) -> None:
        """Add or multiply two tensors of one shape, or lay them side by side."""
        one = self.any()
        same = [k for k in self.pool if k.value.shape == one.value.shape and k.layout == one.layout]
        other = self.random.choice(same)
        if self.chance(0.4) and one.layout:
            count = self.random.choice((1, 2, 2, 3))
            fields = self.tuple(*[one, *[self.random.choice(same) for _ in range(count - 1)]])
            self.offer(
                self.call(operators.concatenate, fields, axis=self.axis(one), layout=one.layout)
            )
            return
        name = self.random.choice(("add", "add", "multiply", "maximum", "subtract"))
        self.offer(self.call(getattr(operators, name), one, other, layout=one.layout))

    def split(self) -> None:
        known = self.any(("NCHW", "NHWC", "NC", "BNC"))
        count = self.channels(known)
        if count < 2:
            return
        sections: Any = count if self.chance(0.5) else (1,)
        made = operators.split(known.expr, sections, axis=self.axis(known)).tuple_value
        value = evaluate.get(made.op)(made.attrs, known.value)
        parts = Known(made, normalise(value))
        for index in range(len(parts.value)):
            if self.chance(0.7):
                self.offer(self.item(parts, index, known.layout))

    def reshaped(self) -> None:
        """Arrange the elements otherwise."""
        known = self.any(("NCHW", "NHWC", "NC", "BNC"))
        shape = known.value.shape
        made = {
            "NCHW": (operators.transpose, {"axes": (0, 2, 3, 1)}, "NHWC"),
            "NHWC": (operators.transpose, {"axes": (0, 3, 1, 2)}, "NCHW"),
            "NC": (operators.expand_dims, {"axis": 0}, "BNC"),
            "BNC": (operators.reshape, {"newshape": (-1, shape[-1])}, "NC"),
        }[known.layout]
        if known.layout == "NCHW" and self.chance(0.4):
            made = (nn.batch_flatten, {}, "NC")
        elif known.layout == "BNC" and shape[0] == 1 and self.chance(0.5):
            made = (operators.squeeze, {"axis": [0]}, "NC")
        build, attrs, layout = made
        self.offer(self.call(build, known, layout=layout, **attrs))

    # Scopes

    def inner(self, known: Known, steps: int) -> Known:
        """Return what a few layers make of ``known`` in a scope of their own, of its shape."""
        pool, bindings = self.pool, self.bindings
        self.pool, self.bindings, self.nesting = [known], [], self.nesting + 1
        for _ in range(steps):
            made = self.mapped(self.any())
            if made.layout and made.layout in "NCHW" and len(made.layout) == 4 and self.chance(0.4):
                attrs = {"strides": (1, 1), "dilation": (1, 1), "padding": (1, 1), "groups": 1}
                channels = self.channels(made)
                made = self.convolution(made, kernel=(3, 3), channels=channels, **attrs)
            self.offer(made)
        found = self.pool[-1]
        found = found._replace(expr=self.bound(found.expr, self.bindings))
        self.pool, self.bindings, self.nesting = pool, bindings, self.nesting - 1
        return found

    def branch(self) -> None:
        """Decide between two ways of going on."""
        known = self.any()
        cond = self.parameter((), "bool")
        ways = [self.inner(known, self.random.choice((1, 2, 3))) for _ in range(2)]
        if len({way.value.shape for way in ways}) > 1:
            return
        sound = all(np.isfinite(way.value).all() for way in ways)
        chosen = ways[0] if cond.value else ways[1]
        if sound:
            expr = If(cond.expr, ways[0].expr, ways[1].expr)
            self.offer(Known(expr, chosen.value, known.layout))

    def block(self) -> None:
        """Call a function, a global one or one made on the spot, on what there is."""
        known = self.any()
        param = Var("x", TensorType(known.value.shape, "float32"))
        body = self.inner(known._replace(expr=param), 3)
        func = Function([param], body.expr)
        if self.chance(0.5):
            self.offer(Known(Call(func, [known.expr]), body.value, body.layout))
            return
        name = GlobalVar(f"block{len(self.functions)}")
        ty = TensorType(body.value.shape, "float32")
        self.functions[name] = func.with_fields(ret_type=ty)
        self.offer(Known(Call(name, [known.expr]), body.value, body.layout))


_MAPS = ("add", "multiply", "multiply", "subtract", "divide", "maximum")
_UNARY: dict[str, Callable[..., Any]] = {
    "relu": nn.relu,
    "tanh": operators.tanh,
    "sigmoid": operators.sigmoid,
    "negative": operators.negative,
    "abs": operators.abs,
}
_LIKE = ("zeros_like", "ones_like")
_OTHER = (
    *("like", "cast", "clip", "leaky_relu", "softmax", "dropout", "bias_add", "prelu"),
    *("batch_norm", "batch_norm", "instance_norm", "layer_norm"),
)
_BEFORE = ((), (), ("multiply",), ("multiply", "relu"), ("relu", "multiply"), ("multiply", "add"))
_AFTER = (
    ("bias_add", "relu"),
    ("batch_norm", "relu"),
    ("bias_add", "relu", "multiply"),
    ("bias_add", "multiply"),
    ("add", "leaky_relu", "multiply"),
    ("add", "relu", "multiply"),
    ("multiply",),
    ("multiply", "add"),
    (),
)
