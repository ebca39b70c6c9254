"""Names of the source: of functions and constants at the top, and of variables in definitions."""

from __future__ import annotations

import keyword
import re
from typing import Final

from relayish.codegen.python import runtime
from relayish.codegen.python.runtime import Make, Matching
from relayish.codegen.python.source import Activation
from relayish.errors import EvaluationError
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Constructor, Pattern
from relayish.ir.relay.expr import Constant, Expr, Function, GlobalVar, Op
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import op_of
from relayish.ir.scopes.name_supply import NameSupply

_ON_FRAMES: Final = ("level", "outer", "skip")
_RESERVED: Final = frozenset(
    [*keyword.kwlist, *keyword.softkwlist, *runtime.__all__, *_ON_FRAMES, "np", "float", "_"]
)
"""What means something already: to Python, among what the source imports, or on frames."""


def _identifier(text: str) -> str:
    """Return ``text`` as an identifier of Python."""
    safe = re.sub(r"[^0-9A-Za-z_]", "_", text) or "_"
    return f"_{safe}" if safe[0].isdigit() else safe


class ProgramNames:
    """Names at the top, and what they stand for.

    Attributes:
        given: What the source cannot say, by name.
        constants: Small arrays, as text by name.
        pending: The definitions that are referred to, and still to be written.
    """

    def __init__(self, mod: IRModule | None) -> None:
        self.mod = mod
        self.supply = NameSupply(taken=_RESERVED)
        self.locals: set[str] = set()
        self.given: dict[str, object] = {}
        self.constants: dict[str, str] = {}
        self.pending: list[tuple[str, Expr]] = []
        self._names: dict[object, str] = {}

    def fresh(self, hint: str) -> str:
        """Return a name for something at the top, which no definition has for a variable."""
        name = self.supply.fresh_name(_identifier(hint))
        while name in self.locals:
            name = self.supply.fresh_name(name)
        return name

    def give(self, hint: str, value: object) -> str:
        """Return a name that is given to the source for ``value``."""
        name = self.fresh(hint)
        self.given[name] = value
        return name

    def constant(self, constant: Constant, text: str | None) -> str:
        """Return a name for a constant: of a small array, whose text is known, or a given one."""
        name = self._names.get(constant)
        if name is None and text is None:
            name = self._names[constant] = self.give("constant", constant.data)
        elif name is None:
            assert text is not None
            name = self._names[constant] = self.fresh("constant")
            self.constants[name] = text
        return name

    def constructor(self, constructor: Constructor) -> str:
        """Return the name of what builds values by ``constructor``."""
        name = self._names.get(constructor)
        if name is None:
            name = self._names[constructor] = self.give(constructor.name_hint, Make(constructor))
        return name

    def matching(self, pattern: Pattern) -> str:
        """Return the name of what matches values against ``pattern``."""
        name = self._names.get(pattern)
        if name is None:
            name = self._names[pattern] = self.give("pattern", Matching(pattern))
        return name

    def operator(self, op: Op) -> str:
        """Return what names ``op`` in a call of the operator."""
        name = self._names.get(op)
        if name is None:
            is_known = op_of(op.full_name) is op
            name = self._names[op] = repr(op.full_name) if is_known else self.give(op.name, op)
        return name

    def global_value(self, var: GlobalVar) -> str:
        """Return how what ``var`` stands for is read, which is then to be written."""
        text = self._names.get(var)
        if text is not None:
            return text
        definition = None if self.mod is None else self.mod.function_of(Node, var)
        if not isinstance(definition, Expr):
            found = "no module is given" if definition is None else describe(definition)
            raise EvaluationError(
                f"@{var.name_hint} has no definition that is an expression of Relay: {found}; pass "
                f"the module that defines it"
            )
        name = self.fresh(var.name_hint)
        self.pending.append((name, definition))
        text = self._names[var] = name if type(definition) is Function else f"{name}()"
        return text


class LocalNames:
    """Names of variables in one definition."""

    def __init__(self, program: ProgramNames) -> None:
        self._program = program
        self._supply = NameSupply()

    def fresh(self, hint: str) -> str:
        """Return a name that nothing has here or at the top."""
        name = self._supply.fresh_name(_identifier(hint))
        while self._program.supply.contains_name(name):
            name = self._supply.fresh_name(name)
        self._program.locals.add(name)
        return name

    def frame(self, activation: Activation) -> str:
        """Return what the frame of ``activation`` is called, and see that all around have one."""
        without = []
        found: Activation | None = activation
        while found is not None and found.frame is None:
            without.append(found)
            found = found.outer
        for each in reversed(without):
            each.frame = self.fresh("frame")
        assert activation.frame is not None
        return activation.frame
