"""Random networks of operators that have layouts, or follow those of others.

Their channels are many enough to be split. :func:`random_layouts` asks for layouts of some of the
operators, :func:`register_random_alterations` puts other calls in place of some.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relayish import op as operators
from relayish.interpreter.value import normalise
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.module import IRModule
from relayish.op import image, nn, register_alter_op_layout
from relayish.op.declaration.properties import evaluate
from relayish.op.types.layout import convert_layout
from tests.support.random_networks import Known, Network

IMAGES = ("NCHW", "NHWC")


def random_layout_network(seed: int, size: int = 14) -> IRModule:
    """Return a module whose ``main`` is a random network of about ``size`` layers."""
    return LayoutNetwork(seed, size).module()


def random_layouts(seed: int) -> dict[str, list[str]]:
    """Return layouts for some operators, as ``ConvertLayout`` takes them."""
    rng = random.Random(f"layouts {seed}")
    chosen = {"nn.conv2d": rng.choice(CONVOLUTIONS)}
    for name in ("nn.max_pool2d", "nn.avg_pool2d", "nn.global_avg_pool2d", "image.resize2d"):
        if rng.random() < 0.25:
            chosen[name] = [rng.choice(("NCHW", "NHWC", "NCHW4c", "NCHW2c"))]
    if rng.random() < 0.4:
        chosen["nn.conv2d_transpose"] = [rng.choice(IMAGES), "default"]
    return chosen


CONVOLUTIONS: list[list[str]] = [
    ["NHWC", "default"],
    ["NCHW", "default"],
    ["NHWC", "OHWI"],
    ["NCHW4c", "default"],
    ["NCHW2c", "OIHW2o"],
    ["NCHW4c", "OIHW2i4o"],
    ["NCHW8c", "default"],
    ["NHWC4c", "default"],
    ["NCHW2c", "OHWI2i2o"],
]


class LayoutNetwork(Network):
    """Layers of all kinds that layouts pass by, or do not pass."""

    def input(self, layouts: tuple[str, ...] | None = None) -> Known:
        layout = self.random.choice(layouts or IMAGES)
        if layout not in IMAGES:
            return super().input((layout,))
        sizes = {"N": (1, 2), "C": (4, 8, 8, 6), "H": (4, 5), "W": (4, 6)}
        shape = tuple([self.random.choice(sizes[axis]) for axis in layout])
        return self.parameter(shape, layout=layout)

    def step(self) -> None:
        rules = [self.convolve] * 5 + [self.map] * 4 + [self.join] * 3 + [self.unit] * 2
        rules += [self.window] * 2 + [self.reduce] * 2 + [self.cut] * 2 + [self.pad] * 1
        rules += [self.turn, self.rearrange, self.resize, self.sort, self.split, self.split]
        rules += [self.squeeze, self.take, self.transposed, self.flatten, self.norm, self.softmax]
        if self.nesting == 0:
            rules += [self.branch, self.block]
        self.random.choice(rules)()

    def image(self) -> Known:
        found = self.any(IMAGES)
        return found if self.fits(found) else self.add(self.input(IMAGES))

    def fits(self, known: Known) -> bool:
        sides = [s for s, a in zip(known.value.shape, known.layout, strict=True) if a in "HW"]
        return min(sides) >= 3

    def convolution(self, known: Known, **given: Any) -> Known:
        """Return a convolution, at times with a weight arranged oddly."""
        pick = self.random.choice
        channels = self.channels(known)
        groups = pick((1, 1, 1, 1, channels, 2))
        out = given.pop("channels", None) or (
            channels * pick((1, 2)) if groups > 2 else pick((4, 8, 6))
        )
        groups = groups if out % groups == 0 and channels % groups == 0 else 1
        kernel = given.pop("kernel", None) or pick(((1, 1), (3, 3), (2, 3)))
        attrs = {"padding": (1, 1), "strides": pick(((1, 1), (1, 1), (2, 1)))}
        attrs |= given | {"groups": groups, "channels": out, "kernel_size": kernel}
        made = self.weight((out, channels // groups, *kernel))
        layout = pick(("OIHW", "OIHW", "HWIO", "OHWI")) if known.layout == "NCHW" else "HWIO"
        if layout != "OIHW":
            value = convert_layout(made.value, "OIHW", layout)
            if isinstance(made.expr, Constant):
                made = Known(Constant(value), value)
            else:
                made = self.call(
                    operators.layout_transform, made, src_layout="OIHW", dst_layout=layout
                )
        return self.call(
            nn.conv2d,
            known,
            made,
            layout=known.layout,
            data_layout=known.layout,
            kernel_layout=layout,
            **attrs,
        )

    def evaluated(self, made: Any, known: Known, layout: str) -> Known:
        """Return a call on ``known`` that was made, with its value."""
        call = made if isinstance(made, Call) else made.tuple_value
        with np.errstate(all="ignore"):
            value = evaluate.get(call.op)(call.attrs, known.value)
        return Known(call, normalise(value), layout)

    def window(self) -> None:
        known, pick = self.image(), self.random.choice
        layout = known.layout
        if self.chance(0.3):
            build = pick((nn.global_avg_pool2d, nn.global_max_pool2d, nn.adaptive_avg_pool2d))
            given: dict[str, Any] = {"layout": layout}
            if build is nn.adaptive_avg_pool2d:
                given["output_size"] = (2, 2)
        else:
            build = pick((nn.max_pool2d, nn.avg_pool2d))
            given = {"layout": layout, "pool_size": (2, 2), "strides": pick(((1, 1), (2, 2)))}
            given["padding"] = pick(((0, 0), (1, 1)))
        self.offer(self.evaluated(build(known.expr, **given), known, layout))

    def reduce(self) -> None:
        known, pick = self.any(IMAGES), self.random.choice
        rank = known.value.ndim
        axes = sorted(self.random.sample(range(rank), pick((1, 2, 2, 3))))
        attrs: dict[str, Any] = {"keepdims": self.chance(0.6)}
        attrs["axis"] = [axis - rank * self.chance(0.3) for axis in axes]
        exclude = attrs["exclude"] = self.chance(0.2)
        kept = known.layout if attrs["keepdims"] else ""
        if not attrs["keepdims"]:
            letters = [a for i, a in enumerate(known.layout) if (i in axes) == exclude]
            kept = "".join(letters)
        build = pick((operators.sum, operators.mean, operators.max, operators.argmax))
        if build is operators.argmax:
            made = self.call(build, known, **attrs)
            made = self.call(operators.cast, made, dtype="float32", layout=kept)
        else:
            made = self.call(build, known, layout=kept, **attrs)
        if attrs["keepdims"] and self.chance(0.6):
            made = self.call(operators.multiply, known, made, layout=known.layout)
        elif kept not in IMAGES:
            made = made._replace(layout="")
        self.offer(made)

    def cut(self) -> None:
        known, pick = self.any(IMAGES), self.random.choice
        layout, shape = known.layout, known.value.shape
        if self.chance(0.3):
            ends = [max(1, size - pick((0, 1))) for size in shape]
            like = self.constant(tuple(ends))
            axes = self.random.sample(range(4), 2)
            self.offer(self.call(operators.slice_like, known, like, axes=axes, layout=layout))
            return
        if self.chance(0.5):
            axes = sorted(self.random.sample(range(4), 2))
            begin, end = [pick((0, 1, 2)) for _ in axes], [pick((2, 4, -1, 99)) for _ in axes]
            given: dict[str, Any] = {"axes": axes, "strides": [pick((1, 1, 2)) for _ in axes]}
        else:
            count = pick((1, 2, 3, 4))
            begin = [0] + [pick((0, 0, 1, 4)) for _ in range(count - 1)]
            end = [9] + [pick((3, 4, 8)) for _ in range(pick((count, 3)) - 1)]
            given = {"strides": pick(([1], [1, 1, 2], [1, 1, 1, 1])), "axes": None}
        made = self.call(
            operators.strided_slice, known, begin=begin, end=end, slice_mode="end", layout=layout,
            **given,
        )  # fmt: skip
        self.offer(made)

    def pad(self) -> None:
        known = self.any(IMAGES)
        widths = [self.random.choice(((0, 0), (0, 0), (1, 0), (0, 1))) for _ in known.layout]
        if self.chance(0.3):
            self.offer(
                self.call(
                    nn.mirror_pad, known, pad_width=widths, mode="SYMMETRIC", layout=known.layout
                )
            )
            return
        filled = Known(Constant(np.float32(0.5)), np.float32(0.5))
        self.offer(
            self.call(
                lambda data, with_: nn.pad(data, widths, with_), known, filled, layout=known.layout
            )
        )

    def turn(self) -> None:
        """Permute the axes; most often to another layout of images."""
        known = self.any(IMAGES)
        target = "NHWC" if known.layout == "NCHW" else "NCHW"
        axes = [known.layout.index(axis) for axis in target]
        if self.chance(0.3):
            axes, target = self.random.sample(range(4), 4), ""
        self.offer(self.call(operators.transpose, known, axes=axes, layout=target))

    def rearrange(self) -> None:
        """Change the layout in the program, at times there and back, or to parts."""
        known = self.any(IMAGES)
        target = "NHWC" if known.layout == "NCHW" else "NCHW"
        if self.channels(known) % 2 == 0 and self.chance(0.4):
            target = self.random.choice(("NCHW2c", "NHWC2c"))
        made = self.call(
            operators.layout_transform, known, src_layout=known.layout, dst_layout=target,
            layout=target,
        )  # fmt: skip
        if target in IMAGES and self.chance(0.5):
            self.offer(made)
            return
        made = self.call(nn.relu, made)
        self.offer(
            self.call(
                operators.layout_transform,
                made,
                src_layout=target,
                dst_layout=known.layout,
                layout=known.layout,
            )
        )

    def resize(self) -> None:
        known = self.image()
        if self.chance(0.5):
            made = nn.upsampling(known.expr, 2, 1, layout=known.layout)
        else:
            made = image.resize2d(
                known.expr, (5, 5), layout=known.layout, method="linear",
                coordinate_transformation_mode="align_corners",
            )  # fmt: skip
        self.offer(self.evaluated(made, known, known.layout))

    def sort(self) -> None:
        known = self.any(IMAGES)
        axis = self.random.randrange(-4, 4)
        layout = known.layout
        kind = self.random.choice(("sort", "cumsum", "topk", "reverse", "repeat"))
        match kind:
            case "sort":
                self.offer(self.call(operators.sort, known, axis=axis, layout=layout))
            case "cumsum":
                self.offer(self.call(operators.cumsum, known, axis=axis, layout=layout))
            case "reverse":
                self.offer(self.call(operators.reverse, known, axis=axis, layout=layout))
            case "repeat":
                made = self.call(operators.repeat, known, repeats=2, axis=axis, layout=layout)
                self.offer(made)
            case _:
                self.offer(self.item(self.call(operators.topk, known, k=1, axis=axis), 0, layout))

    def squeeze(self) -> None:
        """Leave out an axis, and put one there again, somewhere."""
        known = self.any(IMAGES)
        ones = [axis for axis, size in enumerate(known.value.shape) if size == 1]
        if not ones:
            return
        axis = self.random.choice(ones)
        made = self.call(operators.squeeze, known, axis=[axis - 4 * self.chance(0.3)])
        made = self.mapped(made, "relu")
        place = self.random.choice((axis, axis, 0, 3, -1))
        layout = known.layout if place == axis else ""
        self.offer(self.call(operators.expand_dims, made, axis=place, layout=layout))

    def take(self) -> None:
        known = self.any(IMAGES)
        axis = self.random.randrange(4)
        places = np.asarray(self.random.choice(((0, 0), (0,), 0, ((0, 0), (0, 0)))), "int32")
        made = self.call(operators.take, known, Known(Constant(places), places), axis=axis)
        self.offer(made._replace(layout=known.layout if places.ndim == 1 else ""))

    def transposed(self) -> None:
        known = self.image()
        if known.layout != "NCHW":
            return
        weight = self.weight((self.channels(known), 4, 3, 3))
        attrs = {"channels": 4, "kernel_size": (3, 3), "padding": (1, 1)}
        self.offer(self.call(nn.conv2d_transpose, known, weight, layout="NCHW", **attrs))

    def flatten(self) -> None:
        """Put all elements of an image in one row."""
        known = self.any(IMAGES)
        self.offer(self.call(nn.batch_flatten, known, layout="NC"))

    def norm(self) -> None:
        known = self.any(IMAGES)
        if self.chance(0.5):
            self.offer(self.call(nn.l2_normalize, known, eps=0.1, axis=[1, 3], layout=known.layout))
            return
        axis = self.axis(known)
        self.offer(self.call(nn.lrn, known, size=3, axis=axis, bias=2.0, layout=known.layout))

    def softmax(self) -> None:
        known = self.any(IMAGES)
        axis = self.random.randrange(-4, 4)
        self.offer(self.call(nn.softmax, known, axis=axis, layout=known.layout))


def register_random_alterations(seed: int) -> None:
    """Register what stands in place of some calls; to be forgotten by ``declared_temporarily``."""
    rng = random.Random(f"alterations {seed}")
    count = [0]

    def now_and_then(alter: Callable[..., Expr | None]) -> Callable[..., Expr | None]:
        share, seeds = rng.random(), rng.randrange(1000)

        def maybe(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> Expr | None:
            count[0] += 1
            if random.Random(f"{seeds} {count[0]}").random() > share:
                return None
            return alter(attrs, inputs, tinfos, out_type)

        return maybe

    choices: dict[str, Sequence[Callable[..., Expr | None]]] = {
        "nn.conv2d": (_alter_convolution(2), _alter_convolution(4), _alter_weight),
        "nn.relu": (_alter_relu,),
        "add": (_alter_add,),
        "nn.max_pool2d": (_alter_pool,),
        "concatenate": (_alter_nothing,),
        "multiply": (_alter_nothing,),
        "nn.batch_flatten": (_alter_nothing,),
    }
    for name, alterations in choices.items():
        if rng.random() < 0.7:
            register_alter_op_layout(name, now_and_then(rng.choice(alterations)), 77)


def _alter_convolution(block: int) -> Callable[..., Expr | None]:
    def alter(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> Expr | None:
        sizes = dict(zip(attrs.data_layout, tinfos[0].shape, strict=False))
        if sizes.get("C", 1) % block or attrs.channels is None or attrs.channels % block:
            return None
        layout = f"NCHW{block}c" if attrs.groups == 1 else "NHWC"
        return operators.nn.conv2d(*inputs, **{**dict(attrs.items()), "data_layout": layout})

    return alter


def _alter_weight(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> Expr:
    data, weight = inputs
    doubled = operators.multiply(weight, operators.const(1.0))
    return operators.nn.conv2d(data, doubled, **dict(attrs.items()))


def _alter_relu(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> Expr:
    return operators.nn.leaky_relu(*inputs, alpha=0.0)


def _alter_add(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> Expr:
    one, other = inputs
    return operators.subtract(one, operators.negative(other))


def _alter_pool(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> Expr:
    layout = "NHWC" if attrs.layout == "NCHW" else "NCHW"
    given = {**dict(attrs.items()), "layout": layout, "out_layout": layout}
    return operators.nn.max_pool2d(*inputs, **given)


def _alter_nothing(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> None:
    return None
