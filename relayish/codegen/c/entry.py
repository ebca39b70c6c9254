"""Networks in C, with a function that is called from outside: inputs, outputs, weights, memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from relayish.codegen.c.arena import ALIGNMENT, Arena, hoist_temporaries, plan_arena
from relayish.codegen.c.context import Fault
from relayish.codegen.c.dialect import C11, Dialect
from relayish.codegen.c.loops.signatures import Signature
from relayish.codegen.c.measures import Measures, measure
from relayish.codegen.c.names import Names, identifier
from relayish.codegen.c.network import Network
from relayish.codegen.c.program import write_numbers, write_program
from relayish.codegen.c.types import c_type
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.name_supply import NameSupply
from relayish.ir.scopes.renaming import replace_nodes
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Parameter, Var
from relayish.tir.ir.traversal import NODES
from relayish.tir.ir.type import Type


class Size(NamedTuple):
    """A size that arguments of a network tell.

    Attributes:
        name: The argument of C.
        label: What the program calls it.
        input: The number of the first input of which it is a dimension.
        axis: Which dimension.
    """

    name: str
    label: str
    input: int
    axis: int


class Port(NamedTuple):
    """An input or an output of a network.

    Attributes:
        name: The argument of C.
        label: What the program calls it.
        shape: Its sizes; a formula where arguments tell one.
        type: Of its elements.
    """

    name: str
    label: str
    shape: tuple[int | str, ...]
    type: Type

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape, where a size that arguments tell is -1."""
        return tuple([size if isinstance(size, int) else -1 for size in self.shape])

    @property
    def shown(self) -> str:
        """The shape as it is written, formulas as they are."""
        sizes = ", ".join(map(str, self.shape))
        return f"({sizes},)" if len(self.shape) == 1 else f"({sizes})"

    @property
    def dtype(self) -> np.dtype[Any]:  # Any: of any element type
        """The element type as numpy has it."""
        return self.type.numpy

    @property
    def declaration(self) -> str:
        """The argument in C, without ``const``."""
        return f"{c_type(self.type).storage} *{self.name}"


class Weight(NamedTuple):
    """A constant of a network.

    Attributes:
        name: What C calls it where it has a name.
        offset: How many bytes behind the beginning of all weights it stands.
        data: Its elements.
        type: Of its elements.
    """

    name: str
    offset: int
    data: np.ndarray[Any, Any]  # Any: of any element type
    type: Type


class CNetwork(NamedTuple):
    """A network in C.

    Attributes:
        name: What names in C begin with.
        text: The source: the functions of the network, and one that runs it.
        entry: The name of that one, which is given the sizes, the inputs, the outputs, the weights
            and the arena, in this order, and returns a status.
        faults: What a status says, from 1 on.
        inputs: What is to be given.
        outputs: What is filled.
        weights: The constants, each aligned by :data:`ALIGNMENT`.
        arena: How many bytes the arena has, which is aligned in the same way; ``None`` where
            arguments tell.
        sizes: The sizes that arguments tell.
        measures: Where there are such, what tells how many bytes the arena has, and all dimensions
            of inputs and outputs; ``None`` of what was loaded.
        measured: The name of the function in C, which is given sizes in memory, and memory for the
            numbers, and how many these are.
    """

    name: str
    text: str
    entry: str
    faults: Sequence[Fault]
    inputs: Sequence[Port]
    outputs: Sequence[Port]
    weights: Sequence[Weight]
    arena: int | None
    sizes: Sequence[Size] = ()
    measures: Measures | None = None
    measured: tuple[str, int] = ("", 0)

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of inputs, then of outputs, as :attr:`Port.sizes` tell them."""
        return [each.sizes for each in (*self.inputs, *self.outputs)]

    @property
    def weight_bytes(self) -> int:
        """How many bytes the weights take together."""
        return sum([_aligned(each.data.nbytes) for each in self.weights])

    def write_weights(self, memory: np.ndarray[Any, Any]) -> None:
        """Put the weights into memory, which is bytes."""
        for each in self.weights:
            taken = memory[each.offset : each.offset + each.data.nbytes]
            taken[:] = np.ascontiguousarray(each.data).reshape(-1).view(np.uint8)


def network_to_c(
    network: Network,
    name: str,
    *,
    tables: bool = False,
    taken: Sequence[str] = (),
    outputs: Sequence[str] = (),
    tells: bool = False,
    dialect: Dialect = C11,
) -> CNetwork:
    """Return a network in C.

    Args:
        network: The network.
        name: What names in C that are seen from outside begin with.
        tables: Whether weights stand in the source, and are no argument of what runs it.
        taken: Further names that the source is to leave free.
        outputs: What outputs are called, if not ``result``.
        tells: Whether checks that fail tell numbers.
        dialect: What is written.

    Raises:
        CodegenError: If C cannot say it: what, where, and why.
    """
    main, others, arena = _planned(network)
    entry = identifier(f"{name}_run_in")
    prefix = entry.removesuffix("_run_in")
    told = _told(network)
    measured: Measures | None = None
    functions = (main, *others)
    if told:
        ports = (*network.params, *network.outputs)
        free = NameSupply(taken=[each.name for each in functions]).fresh_name("measure")
        measured = measure(free, _where(network, told), ports, arena, functions)
        functions = (*functions, measured.func)
    called = f"{prefix}_fault"
    taken = (entry, called, f"{prefix}_measure", f"{prefix}_arena_size", *taken)
    module = Module(main.name, functions=functions)
    source = write_program(module, taken=taken, inner=True, tells=tells, dialect=dialect)
    names = Names([*taken, *[each.name for each in source.functions.values()]])
    place, work, numbers, wrong = map(names.fresh, ("weights", "arena", "numbers", "wrong"))
    sizes = [
        Size(names.fresh(size.name), size.name, *where)
        for size, where in zip(network.sizes, told, strict=True)
    ]
    named: dict[Node, Node] = {
        size: Var(each.name) for size, each in zip(network.sizes, sizes, strict=True)
    }
    inputs = [_port(names, named, each) for each in network.params]
    labels: Iterable[str | None] = outputs if len(outputs) == len(network.outputs) else repeat(None)
    filled = [_port(names, named, *each) for each in zip(network.outputs, labels, strict=False)]
    behind = main.args[len(sizes) + len(inputs) :][: len(network.constants)]
    constants = [each for each in behind if isinstance(each, Buffer)]
    weights = _weights(names, constants, network.constants)
    held: dict[Parameter, str] = {
        **{size: f"(int32_t){each.name}" for size, each in zip(network.sizes, sizes, strict=True)},
        **{param: each.name for param, each in zip(network.params, inputs, strict=True)},
        **{result: each.name for result, each in zip(network.outputs, filled, strict=True)},
    }
    for buffer, weight in zip(constants, weights, strict=True):
        held[buffer] = weight.name if tables else _behind(place, weight.offset, buffer, "const ")
    held |= {each: _behind(work, at, each) for each, at in arena.offsets.items()}
    count = 0 if measured is None else measured.length
    for at, slot in enumerate(arena.slots, count - len(arena.slots)):
        held |= {each: _behind(work, f"{numbers}[{at}]", each) for each in slot}
    params = [f"int64_t {each.name}" for each in sizes]
    params += [f"const {each.declaration}" for each in inputs]
    params += [each.declaration for each in filled]
    params += [] if tables else [f"const uint8_t *{place}"]
    params += [f"uint8_t *{work}"]
    lines = [f"{dialect.outside}int32_t {entry}({', '.join(params)})", "{"]
    text, faults = source.text, source.faults
    text += f"\n{write_numbers(faults, called)}"
    if measured is not None:
        function = source.functions[measured.func.name].name
        text += f"\n{_write_measuring(prefix, sizes, function, count, dialect)}"
        faults = [measured.faults.get(each.node, each) if each.node else each for each in faults]
        given = ", ".join([each.name for each in sizes])
        lines += [
            f"  int64_t {numbers}[{count}];",
            f"  const int32_t {wrong} = {function}({given}, {numbers});",
            f"  if ({wrong} != 0) return {wrong};",
        ]
    has_memory = arena.offsets or arena.slots
    lines += [] if has_memory else [f"  (void){work};"]
    lines += [f"  (void){place};"] * (not tables and not weights)
    lines += [f"  return {_call(source.functions[main.name], held)};", "}", ""]
    return CNetwork(
        prefix,
        text + "\n" + "\n".join(lines),
        entry,
        faults,
        inputs,
        filled,
        weights,
        None if told else max(arena.size, ALIGNMENT),
        sizes,
        measured,
        (f"{prefix}_measure", count),
    )


def _planned(network: Network) -> tuple[LoweredFunc, list[LoweredFunc], Arena]:
    """Return the function that orders calls, given all memory; those it calls; and where it is."""
    main, *others = network.module.functions
    main, others, memory = hoist_temporaries(main, others)
    arena = plan_arena(main, [*network.workspace, *memory])
    count = len(main.args) - len(network.outputs)
    args = (*main.args[:count], *memory, *main.args[count:])
    return main.with_fields(args=args), others, arena


def _told(network: Network) -> list[tuple[int, int]]:
    """Return which input, and which dimension of it, tells each size."""
    told = {
        size: (at, axis)
        for at, param in reversed([*enumerate(network.params)])
        for axis, size in enumerate(param.shape)
    }
    return [told[size] for size in network.sizes]


def _where(network: Network, told: Sequence[tuple[int, int]]) -> dict[Var, str]:
    """Return each size, and in words which dimension it is."""
    inputs = [each.name.removeprefix("_") for each in network.params]
    return {
        size: f"which is dimension {axis} of {inputs[at]}"
        for size, (at, axis) in zip(network.sizes, told, strict=True)
    }


def _write_measuring(
    prefix: str, sizes: Sequence[Size], function: str, count: int, dialect: Dialect
) -> str:
    """Return the functions that measure for whoever calls from outside."""
    given = ", ".join([f"sizes[{at}]" for at in range(len(sizes))])
    params = ", ".join([f"int64_t {each.name}" for each in sizes])
    named = ", ".join([each.name for each in sizes])
    lines = [
        f"{dialect.outside}int32_t {prefix}_measure(const int64_t *sizes, int64_t *numbers)",
        "{",
        f"  return {function}({given}, numbers);",
        "}",
        "",
        f"{dialect.outside}size_t {prefix}_arena_size({params})",
        "{",
        f"  int64_t {prefix}_told[{count}];",
        f"  return {function}({named}, {prefix}_told) != 0 ? 0 : (size_t){prefix}_told[0];",
        "}",
        "",
    ]
    return "\n".join(lines)


def _port(
    names: Names, named: Mapping[Node, Node], buffer: Buffer, called: str | None = None
) -> Port:
    label = buffer.name.removeprefix("_") if called is None else called
    known = [constant(size) for size in buffer.shape]
    shape = tuple(
        [
            _formula(replace_nodes(size, named, traversal=NODES)) if number is None else number
            for size, number in zip(buffer.shape, known, strict=True)
        ]
    )
    return Port(names.fresh(label), label, shape, buffer.dtype)


def _formula(size: Expr) -> str:
    text = str(size)
    return text[1:-1] if text.startswith("(") and text.find(")") == len(text) - 1 else text


def _weights(
    names: Names, buffers: Sequence[Buffer], values: Sequence[np.ndarray[Any, Any]]
) -> list[Weight]:
    made, offset = [], 0
    for buffer, data in zip(buffers, values, strict=True):
        made.append(Weight(names.fresh("weight"), offset, data, buffer.dtype))
        offset += _aligned(data.nbytes)
    return made


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _behind(base: str, offset: int | str, buffer: Buffer, const: str = "") -> str:
    return f"({const}{c_type(buffer.dtype).storage} *)({base} + {offset})"


def _call(signature: Signature, held: dict[Parameter, str]) -> str:
    """Return the call of the function that orders all others."""
    given = [held[each] for each in signature.params]
    given += ["NULL"] * len(signature.tracked)  # all of the memory counts as full
    return f"{signature.name}({', '.join(given)})"
