"""The header of a network that is shipped: what whoever calls it from C includes."""

from __future__ import annotations

from relayish.codegen.c.arena import ALIGNMENT
from relayish.codegen.c.entry import CNetwork


def write_header(
    code: CNetwork,
    static: int | None,
    *,
    tables: bool,
    where: str = "that nobody else uses meanwhile",
) -> str:
    """Return what declares the functions and the data that a source defines.

    Args:
        code: The network in C.
        static: How many bytes of static memory the arena has; ``None`` where none is static.
        tables: Whether weights stand in the source.
        where: What the memory is that the caller gives.
    """
    name, upper = code.name, code.name.upper()
    sizes = [f"int64_t {each.name}" for each in code.sizes]
    inputs = [f"const {each.declaration} /* {each.shown} */" for each in code.inputs]
    outputs = [f"{each.declaration} /* {each.shown} */" for each in code.outputs]
    params = ", ".join([*sizes, *inputs, *outputs])
    given = [] if tables else ["const uint8_t *weights"]
    run_in = ", ".join([*sizes, *inputs, *outputs, *given, "uint8_t *arena"])
    bytes_ = code.arena if static is None else static
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
        f"#define {upper}_SIZES {len(code.sizes)} /* that inputs tell */",
        f"#define {upper}_NUMBERS {_count(code)} /* of what {name}_measure tells */",
        *(
            [f"#define {upper}_ARENA_BYTES {bytes_} /* aligned by {ALIGNMENT} */"]
            if bytes_ is not None
            else []
        ),
        f"#define {upper}_NO_MEMORY (-1)",
        f"#define {upper}_NO_WEIGHTS (-2)",
        "",
        *_told_sizes(code),
        "/* fills the outputs; returns 0, or a status */",
        f"int32_t {name}_run({params or 'void'});",
        "",
        f"/* the same, in memory {where} */",
        f"int32_t {code.entry}({run_in});",
        "",
        "/* the same as the first, of sizes and pointers in order */",
        f"int32_t {name}_run_all(",
        "  const int64_t *sizes, const void *const *inputs, void *const *outputs);",
        "",
        "/* tells the bytes of the arena, then all dimensions of inputs, then of outputs; returns",
        f"   a status. numbers has room for {upper}_NUMBERS */",
        f"int32_t {name}_measure(const int64_t *sizes, int64_t *numbers);",
        "",
        "/* what a status says */",
        f"const char *{name}_error(int32_t status);",
        "",
        "/* inputs and outputs: names; types as files of numpy say them, and shapes; how many",
        "   dimensions there are, and bytes of an element */",
        "typedef struct {",
        "  const char *name;",
        "  const char *header;",
        "  const char *shape;",
        "  size_t rank;",
        "  size_t bytes;",
        f"}} {name}_port;",
        f"extern const {name}_port {name}_inputs[];",
        f"extern const {name}_port {name}_outputs[];",
        "",
        "/* sizes: names, and of which input which dimension they are */",
        "typedef struct {",
        "  const char *name;",
        "  int input;",
        "  int axis;",
        f"}} {name}_size;",
        f"extern const {name}_size {name}_sizes[];",
        "",
    ]
    if not tables:
        parts += [
            f"#define {upper}_WEIGHT_BYTES {code.weight_bytes}",
            "",
            "/* reads the weights; returns NULL, or what is wrong with the file */",
            f"const char *{name}_load(const char *path);",
            "",
        ]
    return "\n".join([*parts, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def _count(code: CNetwork) -> int:
    ranks = sum([len(each.shape) for each in (*code.inputs, *code.outputs)])
    return max(code.measured[1], 1 + ranks)


def _told_sizes(code: CNetwork) -> list[str]:
    """Return what a header says of sizes that arguments tell."""
    if not code.sizes:
        return []
    told = [
        f"   {each.name}: dimension {each.axis} of {code.inputs[each.input].name}"
        for each in code.sizes
    ]
    lines = ["/* sizes that inputs tell, each 1 at least:", *told[:-1], f"{told[-1]} */"]
    sizes = ", ".join([f"int64_t {each.name}" for each in code.sizes])
    shown = f"how many bytes the arena has, aligned by {ALIGNMENT}; 0 where sizes are too large"
    return [*lines, "", f"/* {shown} */", f"size_t {code.name}_arena_size({sizes});", ""]
