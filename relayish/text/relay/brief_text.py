"""Programs as people compare them: text without inferred types, constants by what they hold."""

from __future__ import annotations

import hashlib
import math
from typing import Final

import numpy as np

from relayish._support.printable import escape_lines
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.relay import expr as relay
from relayish.ir.relay.module import IRModule
from relayish.text.metadata_writer import MetadataWriter
from relayish.text.relay.block_printer import BlockPrinter
from relayish.text.relay.printer import write_program

_PLAIN: Final = (bool, int, float, str)
_HEADER: Final = "#[version = "


class ConstantNames:
    """Names of large constants, ``float32[64, 3, 7, 7]#1f2e3d``: the same for the same values.

    Args:
        largest: Arrays of more bytes are not read, and go by type and shape alone.
    """

    def __init__(self, largest: float = math.inf) -> None:
        self._largest = largest
        self._known: dict[int, tuple[object, str]] = {}

    def of(self, value: object) -> str:
        """Return the name of a value, of whatever class; of an array it tells type and shape.

        Complexity:
            Linear in the bytes of an array, once for each array.
        """
        found = self._known.get(id(value))
        if found is None:
            # the value is kept, so that no other one gets its id
            found = self._known[id(value)] = value, _name_constant(value, self._largest)
        return found[1]

    def named(self, name: str) -> object:
        """Return a value of those asked for that goes by a name; ``None`` if there is none."""
        return next((value for value, known in self._known.values() if known == name), None)


def _name_constant(value: object, largest: float) -> str:
    if not isinstance(value, (np.ndarray, np.generic)):
        return f"{value!r:.80}" if isinstance(value, _PLAIN) else f"<{type(value).__name__}>"
    shown = f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    if value.nbytes > largest:
        return shown
    if value.dtype.kind == "O":  # of strings
        held: bytes | memoryview = repr(value.tolist()).encode(errors="surrogatepass")
    else:
        held = np.ascontiguousarray(value).reshape(-1).view(np.uint8).data
    digest = hashlib.blake2b(held, digest_size=3).hexdigest()
    return f"{shown}#{digest}"


def brief_text(
    program: AnyModule | Node,
    constants: ConstantNames | None = None,
    *,
    show_types: bool = False,
    show_results: bool = True,
) -> str:
    """Return the text of a program for people, who compare it with another one.

    Types are left out where they were inferred, and of variables that a let binds; large constants
    go by type, shape and a digest of their values, so that the same constant is the same text.

    Args:
        program: A module, or a node of any language.
        constants: Names of constants found before.
        show_types: Show inferred types as well.
        show_results: Show the types of results of functions, which may be inferred ones.

    Complexity:
        Linear in distinct nodes and in bytes of constants.

    Example:
        >>> import relayish as relay
        >>> x = relay.var("x", shape=(2,))
        >>> print(brief_text(relay.add(x, relay.const([1.0, 2.0]))))
        free_var %x: Tensor[(2), float32];
        <BLANKLINE>
        add(%x, float32[2]#9c8816)
    """
    names = ConstantNames() if constants is None else constants
    assert isinstance(program, (IRModule, Node))

    def make(before: BlockPrinter | None) -> BlockPrinter:
        return _BriefPrinter(names, show_types, show_results, before)

    text, _ = write_program(program, make)
    first, _, rest = text.partition("\n")
    return escape_lines(rest if first.startswith(_HEADER) else text).rstrip("\n")


class _BriefMetadata(MetadataWriter):
    """Refers to constants by their names, and to all else as text that only people read does."""

    def __init__(self, constants: ConstantNames) -> None:
        super().__init__(readable=True)
        self._constants = constants

    def refer(self, key: str, thing: object) -> str:
        if type(thing) is relay.Constant:
            return self._constants.of(thing.data)
        return super().refer(key, thing)


class _BriefPrinter(BlockPrinter):
    """Writes no types but those of parameters and results, unless it is told to."""

    def __init__(
        self,
        constants: ConstantNames,
        show_types: bool,
        show_results: bool,
        before: BlockPrinter | None,
    ) -> None:
        self._show_types = show_types
        self._show_results = show_results
        self._is_let = False
        super().__init__(None, readable=True, before=before)
        self.metadata = _BriefMetadata(constants)

    def comment(self, node: Node) -> str:
        return super().comment(node) if self._show_types else ""

    def result(self, func: relay.Function) -> str:
        return super().result(func) if self._show_results else ""

    def bind(self, var: Node, bound: list[Node]) -> str:
        self._is_let = bound is self._in_block and not self._show_types
        return super().bind(var, bound)

    def binder(self, var: Node, *, again: bool) -> str:
        text = super().binder(var, again=again)
        name = self.name(var)
        return name if self._is_let and text.startswith(f"{name}: ") else text
