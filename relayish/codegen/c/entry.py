"""Networks in C, with a function that is called from outside: inputs, outputs, weights, memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from relayish.codegen.c.arena import ALIGNMENT, hoist_temporaries, plan_arena
from relayish.codegen.c.context import Fault
from relayish.codegen.c.loops.signatures import Signature
from relayish.codegen.c.names import Names, identifier
from relayish.codegen.c.network import Network
from relayish.codegen.c.program import write_program
from relayish.codegen.c.types import c_type
from relayish.errors import CodegenError
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.function import Module
from relayish.tir.ir.tensor import Buffer, Parameter
from relayish.tir.ir.type import Type


class Port(NamedTuple):
    """An input or an output of a network.

    Attributes:
        name: The argument of C.
        label: What the program calls it.
        shape: Its sizes.
        type: Of its elements.
    """

    name: str
    label: str
    shape: tuple[int, ...]
    type: Type

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
        entry: The name of that one, which is given the inputs, the outputs, the weights and the
            arena, in this order, and returns a status.
        faults: What a status says, from 1 on.
        inputs: What is to be given.
        outputs: What is filled.
        weights: The constants, each aligned by :data:`ALIGNMENT`.
        arena: How many bytes the arena has, which is aligned in the same way.
    """

    name: str
    text: str
    entry: str
    faults: Sequence[Fault]
    inputs: Sequence[Port]
    outputs: Sequence[Port]
    weights: Sequence[Weight]
    arena: int

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
) -> CNetwork:
    """Return a network in C.

    Args:
        network: The network.
        name: What names in C that are seen from outside begin with.
        tables: Whether weights stand in the source, and are no argument of what runs it.
        taken: Further names that the source is to leave free.
        outputs: What outputs are called, if not ``result``.

    Raises:
        CodegenError: If C cannot say it: what, where, and why.
    """
    if network.sizes:
        named = ", ".join([each.name for each in network.sizes])
        raise CodegenError(
            f"arguments of the network tell sizes ({named}), and memory is planned for sizes that "
            f"are known; write numbers in the types of its parameters"
        )
    main, *others = network.module.functions
    main, others, memory = hoist_temporaries(main, others)
    workspace = [*network.workspace, *memory]
    arena = plan_arena(main, workspace)
    count = len(main.args) - len(network.outputs)
    args = (*main.args[:count], *memory, *main.args[count:])
    main = main.with_fields(args=args)
    entry = identifier(f"{name}_run_in")
    source = write_program(
        Module(main.name, functions=(main, *others)), taken=[entry, *taken], inner=True
    )
    names = Names([*taken, entry, *[each.name for each in source.functions.values()]])
    place, work = names.fresh("weights"), names.fresh("arena")
    inputs = [_port(names, each) for each in network.params]
    called: Iterable[str | None] = outputs if len(outputs) == len(network.outputs) else repeat(None)
    filled = [_port(names, *pair) for pair in zip(network.outputs, called, strict=False)]
    behind = main.args[len(inputs) : len(inputs) + len(network.constants)]
    constants = [each for each in behind if isinstance(each, Buffer)]
    weights = _weights(names, constants, network.constants)
    held: dict[Parameter, str] = dict(
        zip(network.params, [each.name for each in inputs], strict=True)
    )
    held |= dict(zip(network.outputs, [each.name for each in filled], strict=True))
    for buffer, weight in zip(constants, weights, strict=True):
        held[buffer] = weight.name if tables else _behind(place, weight.offset, buffer, "const ")
    held |= {each: _behind(work, at, each) for each, at in arena.offsets.items()}
    ordered = _call(source.functions[main.name], held)
    params = [f"const {each.declaration}" for each in inputs]
    params += [each.declaration for each in filled]
    params += [] if tables else [f"const uint8_t *{place}"]
    params += [f"uint8_t *{work}"]
    head = f"int32_t {entry}({', '.join(params)})"
    unused = [f"  (void){work};"] * (not arena.offsets) + [f"  (void){place};"] * (
        not tables and not weights
    )
    text = "\n".join([head, "{", *unused, f"  return {ordered};", "}", ""])
    return CNetwork(
        entry.removesuffix("_run_in"),
        f"{source.text}\n{text}",
        entry,
        source.faults,
        inputs,
        filled,
        weights,
        max(arena.size, ALIGNMENT),
    )


def _port(names: Names, buffer: Buffer, called: str | None = None) -> Port:
    label = buffer.name.removeprefix("_") if called is None else called
    shape = tuple([constant(size) or 0 for size in buffer.shape])
    return Port(names.fresh(label), label, shape, buffer.dtype)


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


def _behind(base: str, offset: int, buffer: Buffer, const: str = "") -> str:
    return f"({const}{c_type(buffer.dtype).storage} *)({base} + {offset})"


def _call(signature: Signature, held: dict[Parameter, str]) -> str:
    """Return the call of the function that orders all others."""
    given = [held[each] for each in signature.params]
    given += ["NULL"] * len(signature.tracked)  # all of the memory counts as full
    return f"{signature.name}({', '.join(given)})"
