"""Networks as files of CUDA C: a source, a header, weights, and a program that runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.codegen.c.entry import CNetwork, network_to_c
from relayish.codegen.c.header import write_header
from relayish.codegen.c.network import Network
from relayish.codegen.c.shipping import (
    check_name,
    names_of,
    write_data,
    write_errors,
    write_main,
)
from relayish.codegen.c.weights import packed, write_loader
from relayish.codegen.cuda.dialect import CUDA, NO_DEVICE


def ship(
    network: Network, name: str, *, outputs: Sequence[str] = ()
) -> tuple[dict[str, bytes], CNetwork]:
    """Return the files of a network for a device, by name, and what they are of.

    They are those of :func:`relayish.codegen.c.ship`, ``NAME.cu`` in the place of ``NAME.c``.
    ``NAME_run`` is given memory of the host, which it copies to the device and back;
    ``NAME_run_in`` memory of the device. Weights stand in ``NAME.bin``.

    Args:
        network: The network, whose loops are bound.
        name: What files and names are called.
        outputs: What outputs are called, if not ``result``.

    Raises:
        CodegenError: If a device cannot run it: what, where, and what to do.
        OptionError: If the name is none for a file.
    """
    check_name(name)
    tables = not network.constants  # there is no file where there are no weights
    code = network_to_c(
        network, name, tables=tables, taken=names_of(name), outputs=outputs, dialect=CUDA
    )
    held = None if tables else packed(code)
    included = f'#include "{name}.h"\n'
    parts = ["#include <stdio.h>", included, code.text, *write_data(code)]
    parts += [] if held is None else [write_loader(code, held, malloc=True)]
    parts += [_run_all(code, tables=tables), _run(code)]
    parts.append(write_errors(code, {NO_DEVICE: "there is no device, or it does not answer"}))
    header = write_header(code, None, tables=tables, where="of the device, weights included")
    files = {
        f"{name}.h": header,
        f"{name}.cu": "\n".join(parts),
        "main.c": f"{included}\n{write_main(code, tables=tables)}",
    }
    written = {key: text.encode() for key, text in files.items()}
    if held is not None:
        written[f"{name}.bin"] = held
    return written, code


def _run(code: CNetwork) -> str:
    """Return the function that is given sizes and memory of the host by name."""
    params = [f"int64_t {each.name}" for each in code.sizes]
    params += [f"const {each.declaration}" for each in code.inputs]
    params += [each.declaration for each in code.outputs]
    kinds = (
        ("const int64_t", "sizes", code.sizes),
        ("const void *const", "inputs", code.inputs),
        ("void *const", "outputs", code.outputs),
    )
    lines = [
        f"  {kind} {code.name}_all_{what}[] = {{{', '.join([p.name for p in ports]) or '0'}}};"
        for kind, what, ports in kinds
    ]
    given = ", ".join([f"{code.name}_all_{what}" for _, what, _ in kinds])
    head = f"int32_t {code.name}_run({', '.join(params) or 'void'})"
    return "\n".join([head, "{", *lines, f"  return {code.name}_run_all({given});", "}", ""])


_RUN_ALL: Final = """\
static size_t NAME_bytes(const NAME_port *port, const int64_t *shape)
{
  size_t bytes = port->bytes;
  for (size_t axis = 0; axis < port->rank; ++axis) bytes *= (size_t)shape[axis];
  return bytes;
}

int32_t NAME_run_all(
  const int64_t *sizes, const void *const *inputs, void *const *outputs)
{
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return DEVICE;
  int64_t numbers[UPPER_NUMBERS];
  int32_t status = NAME_measure(sizes, numbers);
  if (status != 0) return status;
  enum { PORTS = UPPER_INPUTS + UPPER_OUTPUTS };
  void *memory[PORTS + 2] = {NULL};
  size_t bytes[PORTS + 2] = {0}, place = 1;
  for (int at = 0; at < PORTS; ++at) {
    const bool is_input = at < UPPER_INPUTS;
    const NAME_port *port = is_input ? &NAME_inputs[at] : &NAME_outputs[at - UPPER_INPUTS];
    bytes[at] = NAME_bytes(port, &numbers[place]);
    place += port->rank;
  }
  bytes[PORTS] = (size_t)numbers[0];
WEIGHTS
  for (int at = 0; at < PORTS + 2 && status == 0; ++at) {
    memory[at] = device_malloc(bytes[at] + 1);
    if (memory[at] == NULL) status = UPPER_NO_MEMORY;
  }
  for (int at = 0; at < UPPER_INPUTS && status == 0; ++at) {
    if (cudaMemcpy(memory[at], inputs[at], bytes[at], cudaMemcpyHostToDevice) != cudaSuccess) {
      status = UPPER_NO_MEMORY;
    }
  }
COPY
  if (status == 0) status = NAME_run_in(GIVEN);
  for (int at = UPPER_INPUTS; at < PORTS && status == 0; ++at) {
    void *const to = outputs[at - UPPER_INPUTS];
    if (cudaMemcpy(to, memory[at], bytes[at], cudaMemcpyDeviceToHost) != cudaSuccess) {
      status = UPPER_NO_MEMORY;
    }
  }
  for (int at = 0; at < PORTS + 2; ++at) device_free(memory[at]);
  return status;
}
"""
_WEIGHTS: Final = """\
  if (NAME_weights == NULL) return UPPER_NO_WEIGHTS;
  bytes[PORTS + 1] = UPPER_WEIGHT_BYTES;"""
_COPY: Final = """\
  if (status == 0) {
    cudaMemcpy(memory[PORTS + 1], NAME_weights, UPPER_WEIGHT_BYTES, cudaMemcpyHostToDevice);
  }"""


def _run_all(code: CNetwork, *, tables: bool) -> str:
    """Return the function that copies what it is given to the device, and the results back."""
    given = [f"sizes[{at}]" for at in range(len(code.sizes))]
    for at, port in enumerate((*code.inputs, *code.outputs)):
        const = "const " if at < len(code.inputs) else ""
        kind = port.declaration.removesuffix(port.name)
        given.append(f"({const}{kind.strip()})memory[{at}]")
    given += [] if tables else ["(const uint8_t *)memory[PORTS + 1]"]
    given += ["(uint8_t *)memory[PORTS]"]
    text = _RUN_ALL.replace("WEIGHTS\n", "" if tables else f"{_WEIGHTS}\n", 1)
    text = text.replace("COPY\n", "" if tables else f"{_COPY}\n", 1)
    text = text.replace("GIVEN", ", ".join(given)).replace("DEVICE;", f"{NO_DEVICE};")
    return text.replace("NAME", code.name).replace("UPPER", code.name.upper())
