"""Networks as files of C: a source, a header, weights, and a program that runs it.

Nothing of these needs Python, nor anything but the library of C.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

import numpy as np

from relayish.codegen.c.arena import ALIGNMENT
from relayish.codegen.c.entry import CNetwork, Port, Weight, network_to_c
from relayish.codegen.c.network import Network
from relayish.codegen.c.runner import MAIN
from relayish.codegen.c.types import c_type
from relayish.errors import CodegenError, OptionError

MOST_TABLES: Final = 1 << 20
"""So many bytes of weights stand in the source; more in a file beside it, unless told otherwise."""

MAGIC: Final = b"relayish"
"""What a file of weights begins with; behind it stands a sum over what follows."""

_ROW: Final = 12


class Weights(Enum):
    """Where weights go."""

    C = "c"
    BINARY = "binary"


def ship(
    network: Network,
    name: str,
    *,
    weights: Weights | None = None,
    malloc: bool = True,
    single_file: bool = False,
    flags: Sequence[str] = (),
) -> tuple[dict[str, bytes], CNetwork]:
    """Return the files of a network, by name, and what they are of.

    ``NAME.h`` declares what ``NAME.c`` defines: ``NAME_run``, which is given inputs and outputs, in
    this order, and returns a status; ``NAME_run_in``, the same in memory of the caller's;
    ``NAME_error``, which tells what a status says; the inputs and outputs as data. ``main.c`` is a
    program that runs it on files. Weights that stand in ``NAME.bin`` are read by ``NAME_load``.

    Args:
        network: The network.
        name: What files and names are called.
        weights: Where weights go; if not given, into the source where they take a megabyte at most.
        malloc: Whether the system may be asked for memory; if not, all of it is static, and only
            one call runs at a time.
        single_file: Whether everything stands in ``NAME.c``.
        flags: What the source says that it is compiled with.

    Raises:
        CodegenError: If C cannot say it, or not without asking for memory.
        OptionError: If the name is none for a file, or one file is to be two.
    """
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or name == "main":
        raise OptionError(
            f"{name!r} cannot be the name of a network in C, and of its files; expected letters, "
            f"digits and underscores, and not 'main'"
        )
    size = sum([each.nbytes for each in network.constants])
    if weights is None:
        weights = Weights.C if single_file or size <= MOST_TABLES else Weights.BINARY
    if single_file and weights is Weights.BINARY:
        raise OptionError("a single file holds the weights; leave out that they are binary")
    tables = weights is Weights.C
    taken = [f"{name}_{each}" for each in _TAKEN]
    code = network_to_c(network, name, tables=tables, taken=taken)
    if not malloc:
        _refuse_malloc(code)
    header = _header(code, tables=tables)
    source = _source(code, tables=tables, malloc=malloc, flags=flags)
    stands_for = {"NAME": code.name, "UPPER": code.name.upper()}
    stands_for["LOAD\n"] = _load_call(code, tables=tables)
    main = re.sub("NAME|UPPER|LOAD\n", lambda found: stands_for[found[0]], MAIN)
    files = {}
    if single_file:
        guard = f"\n#ifndef {code.name.upper()}_NO_MAIN\n\n{main}\n#endif\n"
        files[f"{name}.c"] = f"{source.replace(_INCLUDE, header)}{guard}"
    else:
        included = f'#include "{name}.h"\n'
        files[f"{name}.h"] = header
        files[f"{name}.c"] = source.replace(_INCLUDE, included)
        files["main.c"] = f"{included}\n{main}"
    held = {key: text.encode() for key, text in files.items()}
    if not tables:
        held[f"{name}.bin"] = packed(code)
    return held, code


_TAKEN: Final = (
    *("run", "run_in", "run_all", "error", "load", "inputs", "outputs", "port", "weights"),
    *("memory", "place", "status"),
)
_INCLUDE: Final = "/* the header */\n"


def packed(code: CNetwork) -> bytes:
    """Return the file of weights: what it begins with, a sum, and all of them, aligned.

    The sum is that of its words of 64 bits, little end first, the n-th taken 2 n + 1 times.
    """
    memory = np.zeros(code.weight_bytes, np.uint8)
    code.write_weights(memory)
    words = memory.view("<u8")
    odd = np.arange(len(words), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    total = int((words * odd).sum(dtype=np.uint64))
    return MAGIC + total.to_bytes(8, "little") + memory.tobytes()


def _refuse_malloc(code: CNetwork) -> None:
    """Raise where a function asks for memory, which those of sizes that are known need not.

    Raises:
        CodegenError: Naming the first.
    """
    function = ""
    for line in code.text.splitlines():
        head = re.match(r"static int32_t (\w+)\(", line)
        function = head[1] if head else function
        if re.search(r"\b[mc]alloc\(", line):
            raise CodegenError(
                f"function {function} asks the system for memory: {line.strip()}; leave out that "
                f"it must not, or give what it needs as an argument"
            )


def _header(code: CNetwork, *, tables: bool) -> str:
    upper = code.name.upper()
    inputs = [f"const {each.declaration} /* {_shape(each)} */" for each in code.inputs]
    outputs = [f"{each.declaration} /* {_shape(each)} */" for each in code.outputs]
    params = ", ".join([*inputs, *outputs]) or "void"
    given = "" if tables else ", const uint8_t *weights"
    run_in = f"int32_t {code.entry}({', '.join([*inputs, *outputs])}{given}, uint8_t *arena);"
    parts = [
        f"#ifndef {upper}_H",
        f"#define {upper}_H",
        "",
        "#include <stdbool.h>",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"#define {upper}_INPUTS {len(code.inputs)}",
        f"#define {upper}_OUTPUTS {len(code.outputs)}",
        f"#define {upper}_ARENA_BYTES {code.arena} /* aligned by {ALIGNMENT} */",
        f"#define {upper}_NO_MEMORY (-1)",
        f"#define {upper}_NO_WEIGHTS (-2)",
        "",
        "/* fills the outputs; returns 0, or a status */",
        f"int32_t {code.name}_run({params});",
        "",
        "/* the same, in memory that nobody else uses meanwhile */",
        run_in,
        "",
        "/* the same, of pointers in order */",
        f"int32_t {code.name}_run_all(const void *const *inputs, void *const *outputs);",
        "",
        "/* what a status says */",
        f"const char *{code.name}_error(int32_t status);",
        "",
        "/* inputs and outputs: names, types and sizes as files of numpy say them, bytes */",
        "typedef struct {",
        "  const char *name;",
        "  const char *header;",
        "  size_t bytes;",
        f"}} {code.name}_port;",
        f"extern const {code.name}_port {code.name}_inputs[];",
        f"extern const {code.name}_port {code.name}_outputs[];",
        "",
    ]
    if not tables:
        parts += [
            f"#define {upper}_WEIGHT_BYTES {code.weight_bytes}",
            "",
            "/* reads the weights; returns NULL, or what is wrong with the file */",
            f"const char *{code.name}_load(const char *path);",
            "",
        ]
    return "\n".join([*parts, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def _shape(port: Port) -> str:
    return " x ".join(map(str, port.shape)) or "1"


def _source(code: CNetwork, *, tables: bool, malloc: bool, flags: Sequence[str]) -> str:
    told = f"/* compile with: cc {' '.join(flags)} -c {code.name}.c, and link with -lm */"
    parts = [told, "#include <math.h>", "#include <stdio.h>\n", _INCLUDE]
    parts += [_table(each) for each in code.weights] if tables else []
    parts.append(code.text)
    parts += [_ports(code, "inputs", code.inputs), _ports(code, "outputs", code.outputs)]
    parts += [] if tables else [_loader(code, malloc=malloc)]
    parts += [_run(code, tables=tables, malloc=malloc), _run_all(code), _errors(code)]
    return "\n".join(parts)


_FORMATS: Final[Mapping[str, str]] = {"float32": "%.9g", "float64": "%.17g"}


def _table(weight: Weight) -> str:
    """Return a constant as a table of C."""
    held = c_type(weight.type)
    values = np.ascontiguousarray(weight.data).reshape(-1)
    texts = list(_literals(values.view(np.uint16) if held.is_packed else values, held.storage))
    rows = [", ".join(texts[at : at + _ROW]) for at in range(0, len(texts), _ROW)] or ["0"]
    shown = " x ".join(map(str, weight.data.shape)) or "1"
    name = f"{held.storage} {weight.name}[{max(len(texts), 1)}]"
    head = f"static const _Alignas({ALIGNMENT}) {name} = {{"
    return "\n".join([f"/* {shown} */", head, *[f"  {row}," for row in rows], "};", ""])


def _literals(values: np.ndarray[Any, Any], storage: str) -> Iterator[str]:
    """Yield elements as C writes them, each as few digits as tell it from all others."""
    if values.dtype.kind != "f":
        suffix = {"uint64_t": "u", "uint32_t": "u"}.get(storage, "")
        for each in values.tolist():
            least = each == -(1 << 63)
            yield "INT64_MIN" if least else f"{int(each)}{suffix}"
        return
    suffix = "f" if storage == "float" else ""
    form = _FORMATS[values.dtype.name]
    for each in values.tolist():
        if not math.isfinite(each):
            yield "NAN" if math.isnan(each) else "INFINITY" if each > 0 else "-INFINITY"
            continue
        text = form % each
        yield f"{text}{'' if any(c in text for c in '.e') else '.0'}{suffix}"


def _ports(code: CNetwork, which: str, ports: Sequence[Port]) -> str:
    lines = [
        f"  {{{_string(each.label)}, {_string(npy_header(each))}, "
        f"{math.prod(each.shape) * each.dtype.itemsize}}},"
        for each in ports
    ] or ["  {NULL, NULL, 0}"]
    head = f"const {code.name}_port {code.name}_{which}[] = {{"
    return "\n".join([head, *lines, "};", ""])


def npy_header(port: Port) -> str:
    """Return what a file of numpy says of an array, without what fills it up.

    Example:
        >>> from relayish.tir.ir.type import Type
        >>> npy_header(Port("x", "x", (2, 3), Type("float32")))
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
    """
    little = port.dtype.newbyteorder("<").str
    return f"{{'descr': {little!r}, 'fortran_order': False, 'shape': {port.shape}, }}"


def _string(text: str) -> str:
    """Return a literal of C for a text."""
    safe = "".join(
        [c if c.isascii() and c.isprintable() and c not in '"\\?' else "_" for c in text]
    )
    return f'"{safe}"'


def _names(code: CNetwork) -> list[str]:
    return [each.name for each in (*code.inputs, *code.outputs)]


def _run(code: CNetwork, *, tables: bool, malloc: bool) -> str:
    upper = code.name.upper()
    inputs = [f"const {each.declaration}" for each in code.inputs]
    outputs = [each.declaration for each in code.outputs]
    head = f"int32_t {code.name}_run({', '.join([*inputs, *outputs]) or 'void'})"
    given = [*_names(code), *([] if tables else [f"{code.name}_weights"])]
    call = f"{code.entry}({', '.join([*given, 'place'])})".replace("place", f"{code.name}_place")
    lines = [head, "{"]
    if not tables:
        lines.append(f"  if ({code.name}_weights == NULL) return {upper}_NO_WEIGHTS;")
    if malloc:
        lines += [
            f"  uint8_t *const {code.name}_memory = malloc({upper}_ARENA_BYTES + {ALIGNMENT});",
            f"  if ({code.name}_memory == NULL) return {upper}_NO_MEMORY;",
            f"  uint8_t *const {code.name}_place = {_align(f'{code.name}_memory')};",
            f"  const int32_t {code.name}_status = {call};",
            f"  free({code.name}_memory);",
            f"  return {code.name}_status;",
        ]
    else:
        lines += [
            f"  static _Alignas({ALIGNMENT}) uint8_t {code.name}_place[{upper}_ARENA_BYTES];",
            f"  return {call};",
        ]
    return "\n".join([*lines, "}", ""])


def _align(memory: str) -> str:
    return f"{memory} + ({ALIGNMENT} - (uintptr_t){memory} % {ALIGNMENT})"


def _run_all(code: CNetwork) -> str:
    given = [f"inputs[{at}]" for at in range(len(code.inputs))]
    given += [f"outputs[{at}]" for at in range(len(code.outputs))]
    head = f"int32_t {code.name}_run_all(const void *const *inputs, void *const *outputs)"
    unused = [f"  (void){each};" for each in ("inputs", "outputs") if not getattr(code, each)]
    return "\n".join(
        [head, "{", *unused, f"  return {code.name}_run({', '.join(given)});", "}", ""]
    )


def _errors(code: CNetwork) -> str:
    upper = code.name.upper()
    cases = [
        f"    case {at}: return {_string(f'{each.kind.__name__}: {each}')};"
        for at, each in enumerate(code.faults, 1)
    ]
    return "\n".join(
        [
            f"const char *{code.name}_error(int32_t status)",
            "{",
            "  switch (status) {",
            '    case 0: return "nothing is wrong";',
            f'    case {upper}_NO_MEMORY: return "there is not enough memory";',
            f'    case {upper}_NO_WEIGHTS: return "the weights are not loaded";',
            *cases,
            '    default: return "there is no such status";',
            "  }",
            "}",
            "",
        ]
    )


def _load_call(code: CNetwork, *, tables: bool) -> str:
    if tables:
        return ""
    return (
        f"  const char *const wrong = {code.name}_load(weights);\n"
        "  if (wrong != NULL) return fail(weights, wrong);\n"
    )


def _loader(code: CNetwork, *, malloc: bool) -> str:
    """Return what reads the weights: magic, sum and size are those of this very network."""
    name, upper = code.name, code.name.upper()
    room = max(code.weight_bytes, 1)
    declared = f"static const uint8_t *{name}_weights = NULL;"
    if malloc:
        take = [
            f"  uint8_t *const memory = malloc({upper}_WEIGHT_BYTES + {ALIGNMENT});",
            "  if (memory == NULL) {",
            "    fclose(file);",
            '    return "there is not enough memory";',
            "  }",
            f"  uint8_t *const place = {_align('memory')};",
        ]
        drop = ["    free(memory);"]
    else:
        take = [f"  static _Alignas({ALIGNMENT}) uint8_t place[{room}];"]
        drop = []
    total = int.from_bytes(packed(code)[8:16], "little")
    lines = [
        declared,
        "",
        f"const char *{name}_load(const char *path)",
        "{",
        f"  if ({name}_weights != NULL) return NULL;",
        '  FILE *const file = fopen(path, "rb");',
        '  if (file == NULL) return "the file of weights cannot be read";',
        *take,
        "  uint8_t head[16];",
        "  bool fits = fread(head, 1, 16, file) == 16;",
        f"  fits = fits && fread(place, 1, {upper}_WEIGHT_BYTES, file) == {upper}_WEIGHT_BYTES;",
        "  fits = fits && fgetc(file) == EOF;",
        "  fclose(file);",
        "  uint64_t sum = 0, factor = 1;",
        f"  for (size_t at = 0; fits && at < {upper}_WEIGHT_BYTES; at += 8, factor += 2) {{",
        "    uint64_t word = 0;",
        "    for (int byte = 7; byte >= 0; --byte) word = word << 8 | place[at + byte];",
        "    sum += word * factor;",
        "  }",
        f'  if (!fits || memcmp(head, "{MAGIC.decode()}", 8) != 0 || sum != UINT64_C({total})) {{',
        *drop,
        '    return "the file does not hold the weights of this network";',
        "  }",
        f"  {name}_weights = place;",
        "  return NULL;",
        "}",
        "",
    ]
    return "\n".join(lines)
