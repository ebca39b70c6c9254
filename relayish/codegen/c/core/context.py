"""The context of writing functions of core as C: where symbols are, and how these are accessed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from relayish.codegen.c.context import CCtx, Fault
from relayish.codegen.c.core.declarations import element_of, loop_type, value_type
from relayish.codegen.c.core.facts import Facts, range_of
from relayish.codegen.c.core.program import Program
from relayish.codegen.c.core.runtime import REASONS
from relayish.codegen.c.text import CText, apply, infix
from relayish.codegen.c.types import C_TYPES, c_literal
from relayish.core.ir.family import Expr, Stmt, Symbol
from relayish.core.ir.stmt import Block
from relayish.core.ir.symbol import Global
from relayish.core.ir.type import Type
from relayish.dataflow.lattice.interval import Interval
from relayish.domain.dispatch import Dispatch
from relayish.errors import CodegenError, UninitialisedReadError
from relayish.ir.fields.naming import display_name
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.flow.environments import NOTHING_KNOWN, Environment


class Place(NamedTuple):
    """Where a symbol is in C.

    Attributes:
        name: What it is called.
        type: Its type.
        is_memory: Whether its bytes may be asked for; else it is a variable that holds a value.
        flag: The variable that tells whether it holds a value; ``None``: it does.
        held: The marks of the bytes that hold something; ``None``: all do.
        address: Its address; ``None``: nobody asks for it.
        is_const: Whether it is never written.
        is_heap: Whether its memory is none of the stack.
    """

    name: str
    type: Type
    is_memory: bool
    flag: str | None = None
    held: str | None = None
    address: str | None = None
    is_const: bool = False
    is_heap: bool = False

    def data(self, offset: str = "0") -> str:
        """Return where its bytes are from one of them on."""
        pointer = f"(uint8_t *){'' if self.type.is_array else '&'}{self.name}"
        return pointer if offset == "0" else f"{pointer} + {offset}"

    def marks(self, offset: str = "0") -> str:
        """Return where the marks of these bytes are, ``NULL`` where there are none."""
        if self.held is None or offset == "0":
            return self.held or "NULL"
        return f"{self.held} + {offset}"


class Part(NamedTuple):
    """A part of a symbol that is accessed.

    Attributes:
        place: Where the symbol is.
        type: As what the part is accessed.
        offset: At which byte it begins.
        name: What C calls it, where it has a name that is of its type.
    """

    place: Place
    type: Type
    offset: str = "0"
    name: str | None = None


class CoreCtx(CCtx):
    """The context of writing a function of core.

    Handlers of expressions return the text of a value: of a scalar its number, of an array or a
    structure a ``struct value``, which says where its bytes are. The text holds until something is
    stored; :meth:`hold` keeps the value of a scalar for longer.

    Attributes:
        program: What functions share.
        places: Where the symbols of the function are.
        facts: What is known of the function; ``None``: nothing.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program.source)
        self.program = program
        self.names.reserve(("self", "result", "result_held", "failed", "fputs"))
        self.places: dict[Symbol, Place] = {}
        self.facts: Facts | None = None
        self._known = NOTHING_KNOWN

    def value_type(self, expr: Node) -> str:
        """Return the type of C of the value of an expression."""
        assert isinstance(expr, Expr)
        return value_type(expr.type)

    def is_computed(self, node: Node) -> bool:
        """Return whether a node is an expression that is made of others."""
        return isinstance(node, Expr) and any(True for _ in PROGRAM.children(node))

    def run(self, visitor: Dispatch, stmt: Node) -> None:
        """Write the lines of a statement, by what is known before it."""
        known = self._known
        if self.facts is not None and isinstance(stmt, Stmt) and not isinstance(stmt, Block):
            known = self.facts.before(stmt)
        with self.knowing(known):
            super().run(visitor, stmt)

    @contextmanager
    def anew(self, *roots: Node) -> Iterator[None]:
        """Compute within anew what was computed before; what is known elsewhere is not used."""
        with super().anew(*roots), self.knowing(NOTHING_KNOWN):
            yield

    @contextmanager
    def knowing(self, known: Environment) -> Iterator[None]:
        """Write within what is computed where ``known`` is known."""
        before, self._known = self._known, known
        try:
            yield
        finally:
            self._known = before

    def interval(self, expr: Expr) -> Interval:
        """Return where an integer lies, where it is computed by the statement that is written."""
        if self.facts is None:
            return range_of(expr.type)
        return self.facts.interval(expr, self._known)

    def literal(self, value: object, held: Type) -> CText:
        """Return the text of a number of a type."""
        text = c_literal(value, loop_type(held))
        return CText(text, 14 if text.startswith("-") else 16)

    def size_of(self, held: Type) -> int:
        """Return how many bytes values of a type have."""
        return self.program.types.layout.size_of(held)

    # Checks

    def fail_with(self, call: str, node: Node) -> None:
        """Write a line that ends the function where an access of memory fails."""
        first = len(self.source.faults)
        self.source.faults.extend([Fault(kind, found, node) for kind, found in REASONS])
        self.line(f"failed = {call};")
        self.line(f"if (failed) {self.leave(f'{first} + failed')}")

    def pass_on(self, call: str) -> None:
        """Write a call of a function, whose failure is that of this one."""
        self.line(f"failed = {call};")
        self.line(f"if (failed) {self.leave('failed')}")

    # Symbols

    def place(self, symbol: Symbol) -> Place:
        """Return where a symbol is.

        Raises:
            CodegenError: If it is no variable of the function or the module.
        """
        if isinstance(symbol, Global):
            return self._global(symbol)
        found = self.places.get(symbol)
        if found is None:
            raise CodegenError(
                f"{quote(symbol)} is used where it is no symbol of the function; put it among its "
                f"formals, locals or pregs"
            )
        return found

    def _global(self, symbol: Global) -> Place:
        name = self.program.globals.get(symbol.name)
        if name is None:
            raise CodegenError(f"the module has no variable {symbol.name!r}")
        address = f"UINT64_C({self.program.address_of_global(symbol.name):#x})"
        is_const = self.program.definitions[symbol.name].is_const
        return Place(
            f"self->{name}", symbol.type, is_memory=True, address=address, is_const=is_const
        )

    def load(self, symbol: Symbol, held: Type, node: Node) -> CText:
        """Return what a symbol holds, as a value of a type."""
        place = self.place(symbol)
        if place.is_memory:
            return self.load_part(Part(place, held, name=self.name_of(place, held)), node)
        if place.flag is not None:
            self._refuse_unset(f"!{place.flag}", symbol, node)
        return CText(place.name)

    def store(self, symbol: Symbol, value: CText, held: Type) -> None:
        """Write what puts a value of a type into a symbol."""
        place = self.place(symbol)
        if place.is_memory:
            self.store_part(Part(place, held, name=self.name_of(place, held)), value)
            return
        self.line(f"{place.name} = {value.text};")
        self.note_value(place)

    def note_value(self, place: Place) -> None:
        """Write that a variable holds a value, if that is in doubt anywhere."""
        if place.flag is not None:
            self.line(f"{place.flag} = true;")

    @staticmethod
    def name_of(place: Place, held: Type) -> str | None:
        """Return what C calls all of a symbol, where it is accessed as what it is."""
        return place.name if place.type == held and held.is_scalar else None

    def _refuse_unset(self, test: str, symbol: Symbol, node: Node) -> None:
        self.fail_if(
            test,
            UninitialisedReadError,
            f"{display_name(symbol)} is read before anything was stored there",
            node,
        )

    # Parts of memory

    def load_part(self, part: Part, node: Node) -> CText:
        """Return what a part of a symbol holds; a check may stand before."""
        place, held = part.place, part.type
        if not held.is_scalar:
            data, marks = place.data(part.offset), place.marks(part.offset)
            return CText(f"(struct value){{{data}, {marks}}}")
        if place.held is not None:
            test = f"is_unset_piece({place.marks(part.offset)}, {self.size_of(held)})"
            self.helper("reach", "piece")
            self.fail_if(
                test,
                UninitialisedReadError,
                f"a part of {place.name} is read before anything was stored there",
                node,
            )
        element = element_of(held)
        if part.name is None:
            return apply(self.helper("peek", element), CText(place.data(part.offset)))
        return self.from_memory(CText(part.name), held)

    def store_part(self, part: Part, value: CText) -> None:
        """Write what puts a value into a part of a symbol."""
        place, held = part.place, part.type
        size = self.size_of(held)
        if not held.is_scalar:
            data, marks = place.data(part.offset), place.marks(part.offset)
            put = self.helper("put", "piece")
            self.line(f"{put}({data}, {marks}, {value.text}, {size});")
            return
        if part.name is None:
            poke = self.helper("poke", element_of(held))
            self.line(f"{poke}({place.data(part.offset)}, {value.text});")
        else:
            self.line(f"{part.name} = {self.to_memory(value, held).text};")
        if place.held is not None:
            self.line(f"memset({place.marks(part.offset)}, 1, {size});")

    def from_memory(self, text: CText, held: Type) -> CText:
        """Return a scalar that is in memory as its value."""
        element = element_of(held)
        if element == "bool":
            return infix("!=", text, CText("0"))
        if C_TYPES[element].is_packed:
            return apply(self.helper("load", element), text)
        return text

    def to_memory(self, text: CText, held: Type) -> CText:
        """Return the value of a scalar as it is in memory."""
        element = element_of(held)
        if C_TYPES[element].is_packed:
            return apply(self.helper("store", element), text)
        return text

    # Calls

    def in_memory(self, value: CText, held: Type, hint: str = "given") -> str:
        """Return the name of a variable that holds a value as memory does."""
        if not held.is_scalar:
            return self.declare("struct value", hint, value.text).text
        type_ = self.program.types.memory_type(held)
        return self.declare(type_, hint, self.to_memory(value, held).text).text
