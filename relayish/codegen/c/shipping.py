"""Networks as files of C: a source, a header, weights, and a program that runs it.

Nothing of these needs Python, nor anything but the library of C.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from relayish.codegen.c.arena import ALIGNMENT
from relayish.codegen.c.entry import CNetwork, Port, network_to_c
from relayish.codegen.c.header import write_header
from relayish.codegen.c.network import Network
from relayish.codegen.c.runner import MAIN
from relayish.codegen.c.weights import Weights, packed, write_aligned, write_loader, write_table
from relayish.errors import CodegenError, OptionError, suggest
from relayish.numeric.precision import is_native

MOST_TABLES: Final = 1 << 20
"""So many bytes of weights stand in the source; more in a file beside it, unless told otherwise."""


def ship(
    network: Network,
    name: str,
    *,
    weights: Weights | None = None,
    malloc: bool = True,
    most: Mapping[str, int] | None = None,
    single_file: bool = False,
    flags: Sequence[str] = (),
    outputs: Sequence[str] = (),
) -> tuple[dict[str, bytes], CNetwork]:
    """Return the files of a network, by name, and what they are of.

    ``NAME.h`` declares what ``NAME.c`` defines: ``NAME_run``, which is given inputs and outputs, in
    this order, and returns a status; ``NAME_run_in``, the same in memory of the caller's;
    ``NAME_error``, which tells what a status says; the inputs and outputs as data. ``main.c`` is a
    program that runs it on files. Weights that stand in ``NAME.bin`` are read by ``NAME_load``.

    Sizes that arguments tell are given before all else, each as an integer; the header says which
    dimension it is. ``NAME_arena_size`` then tells how much memory ``NAME_run_in`` needs, and
    ``NAME_measure`` that and the shapes of inputs and outputs.

    Args:
        network: The network.
        name: What files and names are called.
        weights: Where weights go; if not given, into the source where they take a megabyte at most.
        malloc: Whether the system may be asked for memory; if not, all of it is static, and only
            one call runs at a time.
        most: The largest sizes, by name, for which there is to be static memory, where arguments
            tell them. Larger ones end with a status where they need more.
        single_file: Whether everything stands in ``NAME.c``.
        flags: What the source says that it is compiled with.
        outputs: What outputs are called, if not ``result``.

    Raises:
        CodegenError: If C cannot say it, or not without asking for memory.
        OptionError: If the name is none for a file, one file is to be two, or how much static
            memory there is to be is not told.
    """
    check_name(name)
    size = sum([each.nbytes for each in network.constants])
    if weights is None:
        weights = Weights.C if single_file or size <= MOST_TABLES else Weights.BINARY
    if single_file and weights is Weights.BINARY:
        raise OptionError("a single file holds the weights; leave out that they are binary")
    tables = weights is Weights.C
    code = network_to_c(network, name, tables=tables, taken=names_of(name), outputs=outputs)
    static = None if malloc else _static_bytes(code, most)
    if most is not None and (malloc or not code.sizes):
        raise OptionError(
            "largest sizes are for static memory of a network whose sizes arguments tell; leave "
            "them out"
        )
    held = None if tables else packed(code)
    header = write_header(code, static, tables=tables)
    source = _source(code, held, malloc=malloc, flags=flags)
    main = write_main(code, tables=tables)
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


def check_name(name: str) -> None:
    """Raise unless a network, and its files, can be called so.

    Raises:
        OptionError: If they cannot.
    """
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or name in _HEADERS:
        raise OptionError(
            f"{name!r} cannot be the name of a network in C, and of its files; expected letters, "
            f"digits and underscores, and neither 'main' nor a header of C"
        )


def names_of(name: str) -> list[str]:
    """Return the names that a source of a network has beside those of its functions."""
    return [f"{name}_{each}" for each in _TAKEN.split()]


def write_main(code: CNetwork, *, tables: bool) -> str:
    """Return the program that runs a network on files."""
    stands_for = {"NAME": code.name, "UPPER": code.name.upper()}
    stands_for["LOAD\n"] = _load_call(code, tables=tables)
    return re.sub("NAME|UPPER|LOAD\n", lambda found: stands_for[found[0]], MAIN)


_NO_NAMES: Final = (
    "main assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal "
    "stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath time "
    "threads uchar wchar wctype"
)
_HEADERS: Final = frozenset(_NO_NAMES.split())
_TAKEN: Final = (
    "run run_in run_all error load inputs outputs port weights memory place status size sizes "
    "measure arena_size numbers given measured"
)
_INCLUDE: Final = "/* the header */\n"


def _static_bytes(code: CNetwork, most: Mapping[str, int] | None) -> int:
    """Return how many bytes of static memory an arena is to have.

    Raises:
        OptionError: If that is not told.
        CodegenError: If a function asks the system for memory.
    """
    _refuse_malloc(code)
    if code.arena is not None:
        return code.arena
    names = [each.label for each in code.sizes]
    missing = [each for each in names if each not in (most or {})]
    unknown = [each for each in most or {} if each not in names]
    if unknown:
        raise OptionError(
            f"the network has no size {unknown[0]!r}{suggest(unknown[0], names)}; arguments tell "
            f"{', '.join(names)}"
        )
    if missing or most is None:
        raise OptionError(
            f"arguments tell the size {missing[0]!r}, so nobody knows how much static memory is "
            f"needed; give the largest that there will be (most={{{missing[0]!r}: 64}}, or --most "
            f"{missing[0]}:64), or let it be asked for"
        )
    assert code.measures is not None
    return code.measures.of(*[most[each] for each in names])[0]


def _refuse_malloc(code: CNetwork) -> None:
    """Raise where a function asks for memory.

    Raises:
        CodegenError: Naming the first.
    """
    function = ""
    for line in code.text.splitlines():
        head = re.match(r"static RELAYISH_APART int32_t (\w+)\(", line)
        function = head[1] if head else function
        if re.search(r"\b[mc]alloc\(", line):
            raise CodegenError(
                f"function {function} asks the system for memory: {line.strip()}; leave out that "
                f"it must not, or give what it needs as an argument"
            )


def _source(code: CNetwork, held: bytes | None, *, malloc: bool, flags: Sequence[str]) -> str:
    tables = held is None
    told = f"/* compile with: cc {' '.join(flags)} -c {code.name}.c, and link with -lm */"
    parts = [told, "#include <math.h>", "#include <stdio.h>\n", _INCLUDE]
    parts += [write_table(each) for each in code.weights] if tables else []
    parts += [code.text, *write_data(code)]
    parts += [] if held is None else [write_loader(code, held, malloc=malloc)]
    parts += [_run(code, tables=tables, malloc=malloc), _run_all(code), write_errors(code)]
    return "\n".join(parts)


def write_data(code: CNetwork) -> list[str]:
    """Return what tells of inputs, outputs and sizes."""
    ports = [_ports(code, "inputs", code.inputs), _ports(code, "outputs", code.outputs)]
    return [*ports, _sizes(code), *([] if code.sizes else [_measure(code)])]


def _ports(code: CNetwork, which: str, ports: Sequence[Port]) -> str:
    lines = [
        f"  {{{_string(each.label)}, {_string(npy_header(each))}, {_string(each.shown)}, "
        f"{len(each.shape)}, {each.dtype.itemsize}}},"
        for each in ports
    ] or ["  {NULL, NULL, NULL, 0, 0}"]
    head = f"const {code.name}_port {code.name}_{which}[] = {{"
    return "\n".join([head, *lines, "};", ""])


def _sizes(code: CNetwork) -> str:
    lines = [f"  {{{_string(each.label)}, {each.input}, {each.axis}}}," for each in code.sizes]
    head = f"const {code.name}_size {code.name}_sizes[] = {{"
    return "\n".join([head, *(lines or ["  {NULL, 0, 0}"]), "};", ""])


def _measure(code: CNetwork) -> str:
    """Return what tells the measures of a network of known sizes."""
    numbers = [code.arena or 0, *[size for shape in code.shapes for size in shape]]
    return "\n".join(
        [
            f"int32_t {code.name}_measure(const int64_t *sizes, int64_t *numbers)",
            "{",
            "  (void)sizes;",
            *[f"  numbers[{at}] = {number};" for at, number in enumerate(numbers)],
            "  return 0;",
            "}",
            "",
        ]
    )


def npy_header(port: Port) -> str:
    """Return what a file of numpy says of an array before its shape.

    Of element types that are not numpy's own a file says how wide they are, and no more.

    Example:
        >>> from relayish.tir.ir.type import Type
        >>> npy_header(Port("x", "x", (2, 3), Type("float32")))
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
    """
    own = is_native(port.dtype)
    little = port.dtype.newbyteorder("<").str if own else f"<V{port.dtype.itemsize}"
    return f"{{'descr': {little!r}, 'fortran_order': False, 'shape': "


def _string(text: str) -> str:
    """Return a literal of C for a text."""
    safe = "".join(
        [c if c.isascii() and c.isprintable() and c not in '"\\?' else "_" for c in text]
    )
    return f'"{safe}"'


def _run(code: CNetwork, *, tables: bool, malloc: bool) -> str:
    name, upper = code.name, code.name.upper()
    params = [f"int64_t {each.name}" for each in code.sizes]
    params += [f"const {each.declaration}" for each in code.inputs]
    params += [each.declaration for each in code.outputs]
    given = [each.name for each in code.sizes]
    given += [each.name for each in (*code.inputs, *code.outputs)]
    given += [] if tables else [f"{name}_weights"]
    call = f"{code.entry}({', '.join([*given, f'{name}_place'])})"
    lines = [f"int32_t {name}_run({', '.join(params) or 'void'})", "{"]
    if not tables:
        lines.append(f"  if ({name}_weights == NULL) return {upper}_NO_WEIGHTS;")
    needed = f"{upper}_ARENA_BYTES"
    if code.sizes:
        sizes = ", ".join([each.name for each in code.sizes])
        needed = f"(size_t){name}_numbers[0]"
        most = f"SIZE_MAX - {ALIGNMENT}" if malloc else f"{upper}_ARENA_BYTES"
        lines += [
            f"  const int64_t {name}_given[] = {{{sizes}}};",
            f"  int64_t {name}_numbers[{upper}_NUMBERS];",
            f"  const int32_t {name}_measured = {name}_measure({name}_given, {name}_numbers);",
            f"  if ({name}_measured != 0) return {name}_measured;",
            f"  if ((uint64_t){name}_numbers[0] > {most}) return {upper}_NO_MEMORY;",
        ]
    if malloc:
        lines += [
            f"  uint8_t *const {name}_memory = malloc({needed} + {ALIGNMENT});",
            f"  if ({name}_memory == NULL) return {upper}_NO_MEMORY;",
            f"  uint8_t *const {name}_place = {write_aligned(f'{name}_memory')};",
            f"  const int32_t {name}_status = {call};",
            f"  free({name}_memory);",
            f"  return {name}_status;",
        ]
    else:
        lines += [
            f"  static _Alignas({ALIGNMENT}) uint8_t {name}_place[{upper}_ARENA_BYTES];",
            f"  return {call};",
        ]
    return "\n".join([*lines, "}", ""])


def _run_all(code: CNetwork) -> str:
    counts = {
        "sizes": len(code.sizes),
        "inputs": len(code.inputs),
        "outputs": len(code.outputs),
    }
    given = [f"{each}[{at}]" for each, count in counts.items() for at in range(count)]
    return "\n".join(
        [
            f"int32_t {code.name}_run_all(",
            "  const int64_t *sizes, const void *const *inputs, void *const *outputs)",
            "{",
            *[f"  (void){each};" for each, count in counts.items() if not count],
            f"  return {code.name}_run({', '.join(given)});",
            "}",
            "",
        ]
    )


def write_errors(code: CNetwork, more: Mapping[int, str] | None = None) -> str:
    """Return the function that tells what a status says: those of faults, and some more."""
    upper = code.name.upper()
    others = [f"    case {at}: return {_string(what)};" for at, what in (more or {}).items()]
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
            *others,
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
