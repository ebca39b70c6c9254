"""Weights of networks in C: as tables in the source, or as a file that is read when it runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Final

import numpy as np

from relayish.codegen.c.arena import ALIGNMENT
from relayish.codegen.c.entry import CNetwork, Weight
from relayish.codegen.c.types import c_type

MAGIC: Final = b"relayish"
"""What a file of weights begins with; behind it stands a sum over what follows."""

_ROW: Final = 12


class Weights(Enum):
    """Where weights go."""

    C = "c"
    BINARY = "binary"


def packed(code: CNetwork) -> bytes:
    """Return the file of weights: what it begins with, a sum, and all of them, aligned.

    The sum is that of its words of 64 bits, little end first, the n-th taken 2 n + 1 times.
    """
    memory = np.zeros(code.weight_bytes, np.uint8)
    code.write_weights(memory)
    words, total = memory.view("<u8"), 0
    for start in range(0, len(words), _CHUNK):
        part = words[start : start + _CHUNK]
        odd = np.arange(start, start + len(part), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        total += int((part * odd).sum(dtype=np.uint64))
    return MAGIC + (total % (1 << 64)).to_bytes(8, "little") + memory.tobytes()


_CHUNK: Final = 1 << 20


_FORMATS: Final[Mapping[str, str]] = {"float32": "%.9g", "float64": "%.17g"}


def write_table(weight: Weight) -> str:
    """Return a constant as a table of C."""
    held = c_type(weight.type)
    values = np.ascontiguousarray(weight.data).reshape(-1)
    values = values.view(held.storage.removesuffix("_t")) if held.is_packed else values
    texts = list(_literals(values, held.storage))
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


def write_aligned(memory: str) -> str:
    """Return the first place in memory that is aligned, as C."""
    return f"{memory} + ({ALIGNMENT} - (uintptr_t){memory} % {ALIGNMENT})"


def write_loader(code: CNetwork, held: bytes, *, malloc: bool) -> str:
    """Return what reads the weights: magic, sum and size are those of this very network."""
    name, upper = code.name, code.name.upper()
    room = max(code.weight_bytes, 1)
    declared = f"static const uint8_t *{name}_weights = NULL;"
    if malloc:
        take = [
            f"  uint8_t *const memory = (uint8_t *)malloc({upper}_WEIGHT_BYTES + {ALIGNMENT});",
            "  if (memory == NULL) {",
            "    fclose(file);",
            '    return "there is not enough memory";',
            "  }",
            f"  uint8_t *const place = {write_aligned('memory')};",
        ]
        drop = ["    free(memory);"]
    else:
        take = [f"  static _Alignas({ALIGNMENT}) uint8_t place[{room}];"]
        drop = []
    total = int.from_bytes(held[8:16], "little")
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
        f"  const size_t bytes = {upper}_WEIGHT_BYTES;",
        "  fits = fits && fread(place, 1, bytes, file) == bytes;",
        "  fits = fits && fgetc(file) == EOF;",
        "  fclose(file);",
        "  uint64_t sum = 0, factor = 1;",
        "  for (size_t at = 0; fits && at < bytes; at += 8, factor += 2) {",
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
