"""State of the parser: names in scope, what the section says of names, and of places."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from relayish._support.trampoline import Rule
from relayish.errors import suggest
from relayish.ir.nodes.node import Node
from relayish.text.source import BLANK, Source
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.ir.type import FLOAT32, Type
from relayish.tir.text.names import VarClass
from relayish.tir.text.notes_reader import Word, read_key, read_value
from relayish.tir.text.spelling import NAME, read_name, read_type

NAME_HERE: Final = re.compile(rf"{BLANK}({NAME})")
UNKNOWN: Final = Type("unk")
"""The type of tensors, in a first attempt, of which nothing is said."""
_MOST_LISTED: Final = 6


class Unknown(NamedTuple):
    """A tensor or buffer of which the section says nothing."""

    frame: int
    name: str
    at: int


class Names:
    """What is known by name in a program, or in one function of a module.

    Attributes:
        at: Where the function begins; -1: of all functions.
        known: Tensors, buffers, and variables that one name stands for.
        classes: What variables are that are bound under a name.
    """

    def __init__(self, at: int) -> None:
        self.at = at
        self.known: dict[str, Node] = {}
        self.classes: dict[str, VarClass] = {}


class Reader(Source):
    """A scanner with what names stand for.

    Args:
        text: The program, and behind it the section.
        name: What errors call the text.
        end: Where the program ends; ``limit``: where what is being read does.
        row: The number of lines before the text in what it is a part of.
        read_names: The rule of the section's lines about names.
    """

    def __init__(
        self,
        text: str,
        name: str,
        end: int,
        row: int,
        read_names: Callable[[Any, int, int], Rule],  # Any: a reader
    ) -> None:
        super().__init__(text, name, row)
        self.end = self.limit = end
        self.notes: dict[int, int] = {}
        """By the place of a node, where the section says something of it."""
        self.groups: dict[int | str, tuple[int, int]] = {}
        """By the place or name of a function, where the section speaks of its names."""
        self.begin = 0
        """Where the operand begins that was read last."""
        self.outer = Names(-1)
        self.names = self.outer
        self.scope: dict[str, Var] = {}
        self.hidden: list[tuple[str, Var | None]] = []
        self.free: dict[str, Var] = {}
        self.nodes: dict[str, Node] = {}
        self.sizes: dict[Node, tuple[Expr, ...]] = {}
        """The sizes that buffers are allocated with."""
        self.is_module = False
        """Whether functions have names of their own."""
        self.read_names = read_names
        self.is_strict = False
        """Whether each name has to be bound or declared, as in functions."""
        self.unknown_things: dict[Node, Unknown] = {}
        """Tensors and buffers that had to be made up."""
        self.wide: dict[Node, int] = {}
        """Numbers that no int32 holds, which their neighbours have yet to say are of uint32."""
        self.fixed: set[Node] = set()
        """Literals whose type the section tells."""
        self.given: dict[tuple[int, str], Tensor | Buffer] = {}
        """What an earlier attempt found out about such, by function and name."""

    # Places

    @property
    def starts(self) -> list[int]:
        """Where the lines of the text begin, and behind them where one more would."""
        return self._starts

    def note_at(self, start: int) -> dict[str, object] | None:
        """Return what the section says of the node that begins at ``start``, if anything."""
        at = self.notes.pop(start, None)
        if at is None:
            return None
        here, self.pos = self.pos, at
        items: dict[str, object] = {}
        while True:
            key, place = read_key(self)
            if key in items:
                self.fail(f"{key} is given twice; leave one out", place)
            items[key] = read_value(self)
            if not self.take(","):
                break
        line_end = self.text.find("\n", at)
        if self.skip() < (line_end if line_end >= 0 else len(self.text)):
            self.fail(f"expected ',' or the end of the line; {self.found()}")
        self.pos = here
        return items

    def refuse_rest(self, note: dict[str, object], what: str, start: int) -> None:
        """Refuse what the section says of a node, and the node does not have."""
        for key in note:
            line, column = self.locate(start)
            self.fail(
                f"the section says {key}= of {line}:{column}, where {what} stands, which has no "
                f"such detail; leave it out, or correct the place",
                start,
            )

    # Names

    def read_name_here(self, what: str) -> tuple[str, int]:
        """Read a name; return it and where it stands."""
        found = self.match(NAME_HERE)
        if found is None:
            self.fail(f"expected {what}; {self.found()}")
        self.pos = found.end()
        return read_name(found[1]), found.start(1)

    def known(self, name: str) -> Node | None:
        """Return the tensor, buffer or variable that the section declares under a name."""
        found = self.names.known.get(name)
        return self.outer.known.get(name) if found is None else found

    def class_of(self, name: str) -> VarClass | None:
        """Return what variables are that are bound under a name, if the section says so."""
        found = self.names.classes.get(name)
        return self.outer.classes.get(name) if found is None else found

    def make_variable(self, name: str, at: int, dtype: Type | None = None) -> Var:
        """Return the variable that is bound under a name.

        Args:
            name: The name.
            at: Where it stands.
            dtype: The type that stands there too, if it does.
        """
        known = self.known(name)
        if isinstance(known, Var):
            return known
        span = self.span(at, self.pos)
        if dtype is not None:
            return Var(name, dtype, span=span)
        found = self.class_of(name)
        if found is None:
            return Var(name, span=span)
        return Var(
            name,
            found.dtype,
            found.lower,
            found.upper,
            found.is_reduce_axis,
            found.tag,
            span=span,
        )

    def bind(self, name: str, var: Var) -> None:
        """Bring a variable into scope."""
        self.hidden.append((name, self.scope.get(name)))
        self.scope[name] = var

    def leave(self, mark: int) -> None:
        """Take the variables out of scope that came into it since ``hidden`` was so long."""
        hidden, scope = self.hidden, self.scope
        while len(hidden) > mark:
            name, old = hidden.pop()
            if old is None:
                del scope[name]
            else:
                scope[name] = old

    def variable(self, name: str, at: int) -> Expr:
        """Return what a name stands for where no tensor does: a variable, or a buffer."""
        found: Any = self.scope.get(name) or self.known(name) or self.free.get(name)
        if found is not None:
            return found  # type: ignore[no-any-return]  # all names stand for expressions
        if name[:1] == "_":
            return self.buffer(name, at)
        if self.is_strict:
            self.fail(f"unknown variable {name}{self._advice(name)}", at)
        found = self.free[name] = self.make_variable(name, at)
        return found  # type: ignore[no-any-return]  # as above

    def _advice(self, name: str) -> str:
        known = list(dict.fromkeys([*self.scope, *self.names.known, *self.outer.known]))
        listed = ", ".join(known[-_MOST_LISTED:])
        around = f"; known here are {listed}" if known else "; nothing is known here"
        declare = f"bind it, or declare it in the section, 'var {name}: int32'"
        return (suggest(name, known) or around) + f"; {declare}"

    def address(self, name: str, at: int) -> Expr:
        """Return what a name stands for before ``[``: a tensor, a variable or a buffer."""
        found: Any = self.scope.get(name) or self.known(name)
        if found is not None:
            return found  # type: ignore[no-any-return]  # as above
        if name[:1] == "_":
            return self.buffer(name, at)
        return self.tensor(name, at)

    def tensor(self, name: str, at: int, shape: tuple[Expr, ...] | None = None) -> Tensor:
        """Return the tensor of a name; one that is not declared is made up."""
        found = self.known(name)
        if isinstance(found, Tensor):
            return found
        if found is not None:
            self.fail(f"{name} is no tensor, but is declared as a {type(found).__name__}", at)
        given = self.given.get((self.names.at, name))
        if isinstance(given, Tensor):
            self.names.known[name] = given
            return given
        buffer = self.buffer(f"_{name}", at)
        made = Tensor(name, shape or (), UNKNOWN, buffer)
        self.names.known[name] = made
        self.unknown_things[made] = Unknown(self.names.at, name, at)
        return made

    def buffer(self, name: str, at: int, shape: tuple[Expr, ...] | None = None) -> Buffer:
        """Return the buffer of a name; one that is not declared is made up."""
        found = self.known(name)
        if isinstance(found, Buffer):
            return found
        if found is not None:
            self.fail(f"{name} is no buffer, but is declared as a {type(found).__name__}", at)
        given = self.given.get((self.names.at, name))
        if isinstance(given, Buffer):
            self.names.known[name] = given
            return given
        made = Buffer(name, shape or (), FLOAT32)
        self.names.known[name] = made
        self.unknown_things[made] = Unknown(self.names.at, name, at)
        return made

    def node(self, spelt: str, at: int) -> Node:
        """Return the node that ``%0`` stands for."""
        found = self.nodes.get(spelt)
        if found is None:
            self.fail(
                f"unknown node {spelt}; the section has a line '{spelt} = ...' for each, before "
                f"those that use it",
                at,
            )
        return found

    def resolve(self, word: object, what: str, at: int) -> Any:  # Any: what the name stands for
        """Return the node that a word of the section stands for."""
        if not isinstance(word, Word):
            self.fail(f"expected {what}, a name or a node such as %0; found {word!r}", at)
        if word.spelt[0] == "%":
            return self.node(word.spelt, word.at)
        name = read_name(word.spelt)
        found = self.scope.get(name) or self.known(name)
        return self.variable(name, word.at) if found is None else found

    def resolve_all(self, words: object, what: str, at: int) -> tuple[Any, ...]:  # Any: as above
        """Return the nodes that a list of words stands for."""
        if not isinstance(words, tuple):
            self.fail(f"expected {what}, a list of names; found {words!r}", at)
        return tuple([self.resolve(word, what, at) for word in words])

    def type_of(self, word: object, at: int) -> Type:
        """Return the type that a word of the section spells."""
        if not isinstance(word, Word) or word.spelt[0] == "%":
            self.fail(f"expected a type such as float32<4>; found {word!r}", at)
        return read_type(word.spelt)
