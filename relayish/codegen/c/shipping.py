"""Networks as files of C: a source, a header, weights, and a program that runs it.

Nothing of these needs Python, nor anything but the library of C.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from relayish.codegen.c.arena import ALIGNMENT
from relayish.codegen.c.entry import CNetwork, Port, network_to_c
from relayish.codegen.c.network import Network
from relayish.codegen.c.runner import MAIN
from relayish.codegen.c.weights import Weights, packed, write_aligned, write_loader, write_table
from relayish.errors import CodegenError, OptionError

MOST_TABLES: Final = 1 << 20
"""So many bytes of weights stand in the source; more in a file beside it, unless told otherwise."""


def ship(
    network: Network,
    name: str,
    *,
    weights: Weights | None = None,
    malloc: bool = True,
    single_file: bool = False,
    flags: Sequence[str] = (),
    outputs: Sequence[str] = (),
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
        outputs: What outputs are called, if not ``result``.

    Raises:
        CodegenError: If C cannot say it, or not without asking for memory.
        OptionError: If the name is none for a file, or one file is to be two.
    """
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or name in _HEADERS:
        raise OptionError(
            f"{name!r} cannot be the name of a network in C, and of its files; expected letters, "
            f"digits and underscores, and neither 'main' nor a header of C"
        )
    size = sum([each.nbytes for each in network.constants])
    if weights is None:
        weights = Weights.C if single_file or size <= MOST_TABLES else Weights.BINARY
    if single_file and weights is Weights.BINARY:
        raise OptionError("a single file holds the weights; leave out that they are binary")
    tables = weights is Weights.C
    taken = [f"{name}_{each}" for each in _TAKEN]
    code = network_to_c(network, name, tables=tables, taken=taken, outputs=outputs)
    if not malloc:
        _refuse_malloc(code)
    held = None if tables else packed(code)
    header = _header(code, tables=tables)
    source = _source(code, held, malloc=malloc, flags=flags)
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
    written = {key: text.encode() for key, text in files.items()}
    if held is not None:
        written[f"{name}.bin"] = held
    return written, code


_NO_NAMES: Final = (
    "main assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal "
    "stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath time "
    "threads uchar wchar wctype"
)
_HEADERS: Final = frozenset(_NO_NAMES.split())
_TAKEN: Final = (
    *("run", "run_in", "run_all", "error", "load", "inputs", "outputs", "port", "weights"),
    *("memory", "place", "status"),
)
_INCLUDE: Final = "/* the header */\n"


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


def _source(code: CNetwork, held: bytes | None, *, malloc: bool, flags: Sequence[str]) -> str:
    tables = held is None
    told = f"/* compile with: cc {' '.join(flags)} -c {code.name}.c, and link with -lm */"
    parts = [told, "#include <math.h>", "#include <stdio.h>\n", _INCLUDE]
    parts += [write_table(each) for each in code.weights] if tables else []
    parts.append(code.text)
    parts += [_ports(code, "inputs", code.inputs), _ports(code, "outputs", code.outputs)]
    parts += [] if held is None else [write_loader(code, held, malloc=malloc)]
    parts += [_run(code, tables=tables, malloc=malloc), _run_all(code), _errors(code)]
    return "\n".join(parts)


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
            f"  uint8_t *const {code.name}_place = {write_aligned(f'{code.name}_memory')};",
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
