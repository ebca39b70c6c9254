"""Programs of core in C: names, variables, constants and functions, which their functions share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.codegen.c.context import Source
from relayish.codegen.c.core.declarations import Declarations, element_of
from relayish.codegen.c.names import Names, identifier
from relayish.codegen.c.types import C_TYPES, c_literal
from relayish.core.interpreter.machine import bytes_of
from relayish.core.ir.constant import Constant
from relayish.core.ir.definition import Entry, FuncDecl, FuncEntry, GlobalVariable
from relayish.core.ir.memory import Lda
from relayish.core.ir.symbol import Global
from relayish.core.ir.type import Type
from relayish.errors import CodegenError
from relayish.ir.kinds.callables import CALLABLES
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.ir.type import Type as LoopType

_FIXED: Final = (
    "open_program close_program size_of_program enter_memory_of_program find_memory_of_program "
    "leave_memory_of_program "
    "remove rename tmpfile tmpnam fflush freopen setbuf setvbuf getc getchar putc ungetc perror "
    "rewind ftell fgetpos fsetpos fgetc fgets fputc fputs feof ferror clearerr time clock difftime "
    "mktime ctime gmtime localtime asctime timespec_get"
)
"""What else the source defines, or headers that only programs of core include declare."""


class OutsideCall(NamedTuple):
    """Something that a program asks of whoever runs it.

    Attributes:
        node: The statement that asks, or the declaration of the function that is called.
        name: The name of the function; empty for other statements.
        type: Its type, as whoever calls it has it.
    """

    node: Node
    name: str
    type: Type


class RunTools(NamedTuple):
    """Which statements that are for people a compiled program has: AIR's options of that name.

    Attributes:
        rt_dump: Those that show variables.
        rt_timing: Those that take times.
        rt_validate: Those that compare with what is expected.
    """

    rt_dump: bool = True
    rt_timing: bool = True
    rt_validate: bool = True


class Program:
    """A module of core that is written as C.

    Args:
        mod: The module, which keeps the rules.
        tools: Which statements that are for people are written.
        hosted: Whether Python runs it, and does what it asks of the outside.
        externs: The functions that are declared only and that Python has.

    Attributes:
        source: What its functions share, whatever their language.
        types: How C declares its types.
        names: What each definition of it is called in C, by name.
        definitions: The definitions, by name.
        outside: What it asks of the outside, in order of the numbers that it asks by.
        externals: The declarations of functions of C that are defined elsewhere, by name.
        constants: The constants, by the names that they have in C, with their definitions.
        addressed: The functions whose address somebody takes, by name, with their numbers.
    """

    def __init__(
        self,
        mod: AnyModule,
        tools: RunTools,
        *,
        hosted: bool,
        externs: Collection[str] = (),
    ) -> None:
        self.tools = tools
        self.hosted = hosted
        self.externs = frozenset(externs)
        self.types: Final = Declarations(mod)
        self.definitions: Final[dict[str, Any]] = {  # Any: of any language
            mod.name_of(key) or "": each for key, each in mod.functions.items()
        }
        declared = [name for name, each in self.definitions.items() if isinstance(each, FuncDecl)]
        names = Names([*_FIXED.split(), *declared])
        functions = [n for n, each in self.definitions.items() if isinstance(each, FuncEntry)]
        self.names: Final = {name: names.fresh(name) for name in functions}
        members = Names(("machine", "functions", "constants"))
        self.globals: Final = {
            name: members.fresh(name)
            for name, each in self.definitions.items()
            if isinstance(each, GlobalVariable)
        }
        self.source: Final = Source([*self.names.values(), *declared])
        self._numbers = {name: number for number, name in enumerate(self.globals, 1)}
        self.outside: list[OutsideCall] = []
        self.externals: dict[str, str] = {}
        self.constants: dict[Constant, tuple[str, str]] = {}
        self.with_address: dict[Constant, int] = {}
        self.addressed: Final = self._addressed()

    def _addressed(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for definition in self.definitions.values():
            if not isinstance(definition, (FuncEntry, GlobalVariable)):
                continue
            for node in PROGRAM.pre_order(definition):
                symbol = node.symbol if isinstance(node, Lda) else None
                if isinstance(symbol, Global) and symbol.type.is_function:
                    found.setdefault(self.resolve(symbol.name), len(found))
        return found

    def resolve(self, name: str) -> str:
        """Return the name of the function that a name stands for, through entry points."""
        seen: set[str] = set()
        while isinstance(entry := self.definitions.get(name), Entry) and name not in seen:
            seen.add(name)
            name = entry.function.name
        if isinstance(entry, Entry):
            raise CodegenError(f"entry point {name!r} is that of no function, but of itself")
        return name

    def is_foreign(self, name: str) -> bool:
        """Return whether a name stands for a function of another language."""
        found = self.definitions[name]
        return not _is_function(found) and CALLABLES.knows(type(found))

    def ask(self, node: Node, name: str = "", held: Type = Type("void")) -> int:  # noqa: B008
        """Return the number by which something is asked of the outside."""
        self.outside.append(OutsideCall(node, name, held))
        return len(self.outside) - 1

    def address_of_global(self, name: str) -> int:
        """Return the address of a variable of the module: these are numbered first, in order."""
        return (self._numbers[name] << 36) + (1 << 35)

    def constant(self, constant: Constant) -> str:
        """Return the name of a constant array or string in C, which is defined once."""
        found = self.constants.get(constant)
        if found is None:
            data = constant.data
            hint = data if isinstance(data, str) and data.isidentifier() else "array"
            name = f"{identifier(hint)}_constant_{len(self.constants)}"  # as no variable is called
            found = self.constants[constant] = (name, _definition(name, constant))
        return found[0]

    def constant_with_address(self, constant: Constant) -> int:
        """Return the number of a constant among those that have addresses."""
        return self.with_address.setdefault(constant, len(self.with_address))


def _is_function(definition: object) -> bool:
    return isinstance(definition, (FuncEntry, FuncDecl))


def _definition(name: str, constant: Constant) -> str:
    """Return the definition of a constant; of numbers that are none the bits are written."""
    data = constant.data
    if isinstance(data, str):
        elements, element = np.frombuffer(bytes_of(constant), np.uint8), "uint8"
    else:
        elements = np.ravel(np.asarray(data))
        held = constant.type
        element = element_of(held.element if held.is_array else held)
    packs = C_TYPES[element].is_packed
    if elements.dtype.kind == "b":
        elements, element = elements.view(np.uint8), "uint8"
    elif packs or (elements.dtype.kind == "f" and bool(np.isnan(elements).any())):
        element = f"uint{8 * elements.dtype.itemsize}"
        elements = elements.view(element)
    numbers = [c_literal(each, LoopType(element)) for each in elements.tolist()]
    lines = [", ".join(numbers[at : at + 16]) for at in range(0, len(numbers), 16)]
    body = ",\n  ".join(lines)
    inner = f"{{\n  {body}\n}}" if len(lines) > 1 else f"{{{body}}}"
    return f"static const {element}_t {name}[{len(numbers)}] = {inner};".replace(
        "float32_t", "float"
    ).replace("float64_t", "double")
