"""The state of a parser of any language: the scanner, names in scope, and metadata."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, NamedTuple

from relayish._support.trampoline import Rule
from relayish.errors import suggest
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.text.literals import unquote
from relayish.text.metadata_reader import Metadata
from relayish.text.source import BINDER, Source


class Binder(NamedTuple):
    """A variable where it is bound: its key in ``env``, its name, and where it stands.

    ``again`` says that it is marked as bound before, ``share`` what it may share memory with.
    """

    key: str
    name: str
    at: int
    again: bool
    share: Node | None


class Grammar(NamedTuple):
    """The rules of the language whose expressions stand around the nodes of all others.

    Attributes:
        language: The language whose kinds go by their visit names alone.
        expression: An expression.
        block: Statements and a result, up to and including a closing mark.
        statement: A statement of a block: the node that stands for itself, or ``None``.
        variable: A variable where it is bound, as that language declares its own.
        global_name: The node that stands for ``@name`` at an offset.
    """

    language: str
    expression: Callable[[Any], Rule]  # Any: the reader, which knows the language
    block: Callable[[Any, str], Rule]
    statement: Callable[[Any], Rule]
    variable: Callable[[Any, Binder], Rule]
    global_name: Callable[[Any, str, int], Node]


_ABSENT: Final = object()
_MOST_COMPARED: Final = 2000
_MOST_LISTED: Final = 6


class Reader(Source):
    """A scanner with an environment: what the names read so far stand for."""

    grammar: ClassVar[Grammar]

    def __init__(self, text: str, name: str, metadata: Metadata) -> None:
        super().__init__(text, name)
        self.metadata = metadata
        self.env: dict[str, Node] = {}
        """Variables (``%x``) and nodes with a line of their own (``%0``) that are in scope."""
        self.hidden_locals: list[tuple[str, object]] = []
        self.hidden_temps: list[tuple[str, object]] = []
        self.bound: dict[str, Node] = {}
        """The variable last bound under each name, in scope or not."""
        self.type_vars: dict[str, Any] = {}  # Any: of the kind that the language has for them
        self.bound_types: dict[str, Any] = {}
        self.hidden_types: list[tuple[str, object]] = []
        self.function_depth = 0
        """How many functions are open; a definition is one."""
        self.keys: dict[Node, str] = {}
        """The key in ``env`` of each variable that the generic form, or the like, declared."""
        self.is_mixed = False
        """Whether a name may stand for a node that is no expression of the language around."""

    def items(self, close: str, where: str, rule: Callable[[Any], Rule]) -> Rule:
        """Read the items of a list, each by ``rule``, as :meth:`until` tells."""
        items: list[object] = []
        self.has_comma = False
        while not self.take(close):
            items.append((yield rule(self)))
            self.has_comma = self.take(",")
            if not self.has_comma:
                self.expect(close, where)
                break
        return tuple(items)

    # Names

    def bind_type(self, name: str, var: Node) -> None:
        """Bring a variable for types into scope; ``leave_types`` takes it out."""
        self.hidden_types.append((name, self.type_vars.get(name, _ABSENT)))
        self.type_vars[name] = self.bound_types[name] = var

    def bind(self, name: str, var: Node) -> None:
        """Bring ``var`` into scope as ``%name``; ``leave`` takes it out."""
        self.bound[name] = var
        self.hidden_locals.append((name, self.env.get(name, _ABSENT)))
        self.env[name] = var

    def leave(self, mark: int) -> None:
        """Take the variables out of scope that came into it since ``hidden_locals`` was so long."""
        self._restore(self.hidden_locals, mark, self.env)

    def suspend(self, mark: int) -> list[tuple[str, Node]]:
        """Take out of scope what came into it since ``mark``, and return it, for ``bind``."""
        since = [(name, self.env[name]) for name, _ in self.hidden_locals[mark:]]
        self.leave(mark)
        return since

    def define(self, name: str, value: Node) -> None:
        """Let ``%name``, a graph temporary, stand for ``value`` from here on.

        It stays known behind the function it stands in, as in TVM, whose printer counts on that;
        but one that it hides comes back there.
        """
        if name in self.env:
            self.hidden_temps.append((name, self.env[name]))
        self.env[name] = value

    def leave_function(self, mark: int) -> None:
        """Bring back the graph temporaries that those of a nested function hid."""
        self._restore(self.hidden_temps, mark, self.env)

    def leave_types(self, mark: int) -> None:
        """Take the variables for types out of scope that came into it since ``mark``."""
        self._restore(self.hidden_types, mark, self.type_vars)

    def _restore(self, hidden: list[tuple[str, object]], mark: int, env: dict[str, Any]) -> None:
        while len(hidden) > mark:
            name, old = hidden.pop()
            if old is _ABSENT:
                env.pop(name, None)
            else:
                env[name] = old

    def local(self, word: str, at: int) -> Node:
        """Return what ``%x`` or ``%0`` stands for."""
        key = self.local_key(word[1:]) if word.startswith('%"') else word
        found = self.env.get(key)
        if found is None and "/" in key and key is word:
            found = self._dividend(word, at)
        if found is None:
            what = "graph temporary" if word[1:].isdigit() else "variable"
            self.fail(f"unknown {what} {word}{self._advice(word, key)}", at)
        return found

    def _dividend(self, word: str, at: int) -> Node | None:
        """Return what is divided in ``%x/2f``, of which no variable has the whole for its name."""
        found: Node | None = None
        while found is None and "/" in word:
            word = word.rpartition("/")[0]
            found = self.env.get(word)
        if found is not None:
            self.pos = at + len(word)
        return found

    def _advice(self, word: str, key: str) -> str:
        """Return what to do about a name that is not in scope."""
        if key in self.bound:
            return "; it is bound, but not in scope here: use it inside of what binds it"
        known = list(self.env)[-_MOST_COMPARED:]
        listed = ", ".join(known[: -_MOST_LISTED - 1 : -1])
        around = f"in scope are {listed}" if known else "nothing is in scope here"
        return suggest(word, known) or f"; {around}; bind it before it is used"

    def local_key(self, name: str) -> str:
        """Return the key in ``env`` of a variable, from its name as it is spelt in the text."""
        if not name.startswith('"'):
            return "%" + name
        plain = unquote(name)
        return f"%{plain}" if plain[:1].isalpha() or plain[:1] == "_" else f'%"{plain}"'

    def binder(self, where: str) -> Binder:
        """Read the name of a variable where it is bound."""
        found = self.match(BINDER)
        if found is None:
            self.fail(f"expected a variable such as %x {where}; {self.found()}")
        spelt = found[1]
        self.pos = found.end()
        share = None
        if found["share"]:
            share = self.variable("that shares memory")
            self.expect(")", "after what a variable shares memory with")
        name = unquote(spelt) if spelt.startswith('"') else spelt
        again = found["malformed"] is not None
        return Binder(self.local_key(spelt), name, found.start(1) - 1, again, share)

    def variable(self, where: str) -> Node:
        """Read the use of a variable."""
        found = self.match(BINDER)
        if found is None:
            self.fail(f"expected a variable {where}; {self.found()}")
        key, at = self.local_key(found[1]), found.start(1) - 1
        self.pos = found.end(1)
        var = self.local(key, at)
        if type(var) not in VARIABLES:
            self.fail(f"%{found[1]} is no variable; only variables share memory", at)
        return var

    def bound_before(self, binder: Binder) -> Node:
        """Return the variable of a binder that is marked ``-malformed-ir``."""
        found = self.bound.get(binder.key)
        if found is None:
            key = binder.key
            self.fail(
                f"{key}-malformed-ir is bound again, but it was not bound before; leave "
                f"-malformed-ir out",
                binder.at,
            )
        return found
