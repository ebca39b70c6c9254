"""Random inputs of a model: of its types, with sizes and magnitudes with which it shows something.

A dimension without a size gets one with which the model runs, those of one name the same. Integers
may be indices, so they are small and not negative. What numbers are drawn from is chosen so that
outputs differ from input to input: a network may give the same for all that is large, or small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from relayish.cli.onnx.sizes import Dimensions, Sizes
from relayish.errors import ModelError, OptionError, suggest
from relayish.onnx.element_types import element_type_name, element_type_number, find_numpy_dtype

Shapes = Mapping[str, tuple[int, ...]]
Values = dict[str, Any]  # Any: arrays, and lists of them
"""Values of inputs by name."""

BOUNDS: Final = (128, 8, 2)
"""What integers are tried to be below."""
MOST_ELEMENTS: Final = 1 << 24
"""More elements than this has no input of a size that nobody asked for."""
MOST_OF_LEAST: Final = 1 << 30
"""The same, if even the least of the usual sizes gives more."""
MOST_OF_FURTHER: Final = 1 << 20
"""The same, of sizes that are tried where none of the usual ones does: these are many."""


@dataclass(frozen=True, slots=True)
class Spread:
    """What numbers are drawn from.

    Attributes:
        kind: ``normal``, around zero, or ``uniform``, from zero.
        scale: What is drawn is multiplied by it.
    """

    kind: str
    scale: float

    def draw(self, generator: np.random.Generator, shape: tuple[int, ...]) -> Any:
        """Return numbers of that shape. Any: an array of float64."""
        drawn = (
            generator.standard_normal(shape) if self.kind == "normal" else generator.random(shape)
        )
        return np.asarray(drawn * self.scale)

    def __str__(self) -> str:
        if self.kind == "normal":
            return f"normal, deviation {self.scale:g}"
        return f"uniform, 0 to {self.scale:g}"


SPREADS: Final = (
    Spread("normal", 1.0),
    Spread("normal", 0.1),
    Spread("normal", 10.0),
    Spread("uniform", 1.0),
    Spread("uniform", 255.0),
)


@dataclass(frozen=True, slots=True)
class Input:
    """An input that a caller has to give.

    Attributes:
        name: Its name.
        element: The name of its element type.
        dims: A size, or a name, of each axis; the name tells its input and axis where it has none.
            ``None`` if the model does not say how many axes there are.
        is_sequence: Whether it is a sequence of such tensors.
    """

    name: str
    element: str
    dims: tuple[int | str, ...] | None
    is_sequence: bool = False

    def free_dims(self) -> Iterator[tuple[str, int]]:
        """Yield the dimensions without a size, with their axes."""
        for axis, dim in enumerate(self.dims or ()):
            if isinstance(dim, str):
                yield dim, axis

    def __str__(self) -> str:
        sizes = "..." if self.dims is None else ", ".join(map(str, self.dims))
        shown = f"{self.element}[{sizes}]"
        return f"sequence of {shown}" if self.is_sequence else shown


@dataclass(frozen=True, slots=True)
class Sampling:
    """How inputs are drawn, or where they are from.

    Attributes:
        sizes: The size of each dimension without one, by name; where values from files have
            several, the first.
        bound: What integers are below.
        spread: What other numbers are drawn from; ``None`` of values from files.
        sources: The files.
    """

    sizes: Sizes
    bound: int = 0
    spread: Spread | None = None
    sources: tuple[str, ...] = ()

    def __str__(self) -> str:
        sizes = "".join(f"{name}={size}, " for name, size in self.sizes.items())
        return f"{sizes}{self.spread or 'from ' + ', '.join(self.sources)}"


def inputs_of(graph: Any, shapes: Shapes | None = None) -> list[Input]:  # Any: a GraphProto
    """Return the inputs that a caller has to give: those without an initializer.

    Args:
        graph: A ``GraphProto``.
        shapes: Shapes that inputs are to have, by name.

    Raises:
        ModelError: If an input is neither a tensor nor a sequence of tensors.
        OptionError: If shapes are given for what is no input, or contradict the model or each
            other.
    """
    given = {each.name for each in graph.initializer}
    found = [_input_of(each) for each in graph.input if each.name not in given]
    sizes = sizes_of(found, shapes or {})
    return [_with_sizes(each, sizes, (shapes or {}).get(each.name)) for each in found]


def with_ranks(inputs: Sequence[Input], shapes: Shapes) -> list[Input]:
    """Return inputs of which those of unknown rank have the shapes that are told."""
    return [_with_sizes(each, {}, shapes.get(each.name)) for each in inputs]


def find_input(name: str, inputs: Sequence[Input], where: str) -> Input:
    """Return the input of that name.

    Raises:
        OptionError: If there is none.
    """
    names = [each.name for each in inputs]
    if name not in names:
        raise OptionError(
            f"{where}: the model has no input {name!r}{suggest(name, names)}; its inputs are "
            f"{', '.join(names) or 'none'}"
        )
    return inputs[names.index(name)]


def _with_sizes(each: Input, sizes: Sizes, shape: tuple[int, ...] | None) -> Input:
    if each.dims is None:
        return Input(each.name, each.element, shape, each.is_sequence)
    dims = tuple([sizes.get(dim, dim) if isinstance(dim, str) else dim for dim in each.dims])
    return Input(each.name, each.element, dims, each.is_sequence)


def sizes_of(
    inputs: Sequence[Input], shapes: Shapes, option: str = "--input-shape"
) -> dict[str, int]:
    """Return the size that shapes of inputs give each dimension, by name.

    Args:
        inputs: The inputs.
        shapes: Shapes of some, by name.
        option: Where they come from, for errors.

    Raises:
        OptionError: If they are of what is no input, or contradict the model or each other.
    """
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        each = find_input(name, inputs, f"{option} {name}")
        if each.dims is None:
            continue
        where = f"{option} {each.name}:{','.join(map(str, shape))}"
        if len(shape) != len(each.dims):
            raise OptionError(
                f"{where} has {len(shape)} sizes; input {each.name!r} is {each}, of rank "
                f"{len(each.dims)}"
            )
        for axis, (size, dim) in enumerate(zip(shape, each.dims, strict=True)):
            known = sizes.setdefault(dim, size) if isinstance(dim, str) else dim
            if known != size:
                named = f"dimension {dim!r}, " if isinstance(dim, str) else ""
                raise OptionError(f"{where}: axis {axis} is {named}of size {known}; found {size}")
    return sizes


def _input_of(value: Any) -> Input:  # Any: a ValueInfoProto
    proto, is_sequence = value.type, False
    if proto.WhichOneof("value") == "optional_type":
        proto = proto.optional_type.elem_type
    if proto.WhichOneof("value") == "sequence_type":
        proto, is_sequence = proto.sequence_type.elem_type, True
    if proto.WhichOneof("value") != "tensor_type":
        raise ModelError(
            f"input {value.name!r} is neither a tensor nor a sequence of tensors, so no values can "
            f"be drawn for it; write --verify 0"
        )
    tensor = proto.tensor_type
    element = element_type_name(tensor.elem_type)
    if not tensor.HasField("shape"):
        return Input(value.name, element, None, is_sequence)
    dims = [_dim_of(value.name, axis, dim) for axis, dim in enumerate(tensor.shape.dim)]
    return Input(value.name, element, tuple(dims), is_sequence)


def _dim_of(name: str, axis: int, dim: Any) -> int | str:  # Any: a dimension of a TensorShapeProto
    if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0:
        return int(dim.dim_value)
    return dim.dim_param or f"{name}[{axis}]"


def plans(
    inputs: Sequence[Input],
    known: Sizes | None = None,
    lengths: Callable[[], Sequence[int]] | None = None,
) -> Iterator[tuple[Sizes, int]]:
    """Yield sizes and bounds of integers to try, the likeliest first.

    Args:
        inputs: What is drawn.
        known: Sizes that dimensions are to have, by name.
        lengths: Gives those that stand in the model: then sizes are yielded to try where none of
            the usual ones does.
    """
    known = known or {}
    axes: dict[str, int] = {}
    for each in inputs:
        for name, axis in each.free_dims():
            axes.setdefault(name, axis)
    dimensions = Dimensions(axes, known)
    has_integers = any("int" in each.element for each in inputs)
    most = MOST_ELEMENTS if lengths is None else MOST_OF_FURTHER
    is_any = lengths is not None
    least: Sizes = {}
    for sizes in dimensions.usual() if lengths is None else dimensions.further(lengths):
        if any(name not in known for name in sizes) and _largest(inputs, sizes) > most:
            least = min(least or sizes, sizes, key=lambda each: _largest(inputs, each))
            continue
        is_any = True
        for bound in BOUNDS if has_integers else BOUNDS[:1]:
            yield sizes, bound
    if is_any:
        return
    if _largest(inputs, least) > MOST_OF_LEAST:
        raise OptionError(
            f"with {', '.join(f'{name}={size}' for name, size in least.items())}, the least that "
            f"is tried, an input has {_largest(inputs, least):,} elements; give sizes with "
            f"--test-input-shape, or write --verify 0"
        )
    yield least, BOUNDS[-1]


def _largest(inputs: Sequence[Input], sizes: Sizes) -> int:
    """Return how many elements an input has that is of an open size, at most."""
    return max(
        [
            math.prod(_shape_of(each, sizes))
            for each in inputs
            if any(True for _ in each.free_dims())
        ],
        default=0,
    )


def _shape_of(each: Input, sizes: Sizes) -> tuple[int, ...]:
    return tuple([sizes[dim] if isinstance(dim, str) else dim for dim in each.dims or ()])


def draw_inputs(inputs: Sequence[Input], plan: Sampling, seed: int) -> Values:
    """Return random values of inputs; the same for the same plan and seed."""
    generator = np.random.default_rng(seed)
    return {each.name: _draw(each, plan, generator) for each in inputs}


def _draw(each: Input, plan: Sampling, generator: np.random.Generator) -> Any:  # Any: as of Values
    if each.dims is None:
        raise OptionError(
            f"the model does not say how many axes input {each.name!r} has, so no values can be "
            f"drawn for it; write --test-input-shape {each.name}:SIZE,SIZE, or --verify 0"
        )
    shape = _shape_of(each, plan.sizes)
    if each.is_sequence:
        return [_draw_tensor(each.element, shape, plan, generator) for _ in range(2)]
    return _draw_tensor(each.element, shape, plan, generator)


def _draw_tensor(
    element: str, shape: tuple[int, ...], plan: Sampling, generator: np.random.Generator
) -> Any:  # Any: as of Values
    if element == "string":
        words = [f"word{number}" for number in generator.integers(0, plan.bound, shape).flat]
        return np.array(words, dtype=object).reshape(shape)
    dtype = find_numpy_dtype(element_type_number(element))
    if element == "bool":
        return np.asarray(generator.random(shape) < 0.5)
    if "int" in element:
        bits = int(element.removeprefix("u").removeprefix("int"))
        bound = min(plan.bound, 1 << (bits if element.startswith("u") else bits - 1))
        return np.asarray(generator.integers(0, bound, shape)).astype(dtype)
    assert plan.spread is not None
    drawn = plan.spread.draw(generator, shape)
    if element.startswith("complex"):
        drawn = drawn + 1j * plan.spread.draw(generator, shape)
    with np.errstate(over="ignore"):  # of the narrowest types, which have few numbers
        return np.asarray(drawn).astype(dtype)
