"""Writing blocks: statements, functions, conditionals and matches.

Rules are generators as in the parser; what does not nest is written by plain functions.
"""

# ruff: noqa: SLF001 - the tables behind a class name its methods

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from relayish.ir.attrs import Attrs, DictAttrs
from relayish.ir.node import Node
from relayish.ir.relay.adt import Constructor, Match, TypeData
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.type import Type, TypeVar
from relayish.op.registry import attrs_type, ops_meant
from relayish.text.attrs_printer import spell_items
from relayish.text.expr_parser import EXPR_KEYWORDS
from relayish.text.literals import quote, spell_name, spell_scalar
from relayish.text.metadata_writer import MetadataWriter
from relayish.text.pattern_printer import PatternPrinter
from relayish.text.rules import Rule, run
from relayish.text.scopes import LEAVES, Plan, Position, Scope
from relayish.text.type_printer import Names, TypePrinter

_DEEPEST: Final = 24
"""Indentation does not grow beyond this many levels, or nests would take quadratic space."""
_INDENTS: Final = tuple("  " * depth for depth in range(_DEEPEST + 1))
_SHORT_TYPE: Final = 64
"""Inferred types with more nodes than this are not written into comments."""


class BlockPrinter:
    """Writes expressions onto ``out``.

    Args:
        annotate: See :func:`astext`.
        before: A printer that has found out, by printing the same thing, which variables are used
            outside of what binds them; these are declared at the beginning.
    """

    def __init__(
        self,
        annotate: Callable[[Expr], str] | None,
        readable: bool = False,
        before: BlockPrinter | None = None,
    ) -> None:
        self.out: list[str] = []
        self.metadata = MetadataWriter(readable)
        declared: Iterable[TypeVar] = () if before is None else before.types.free
        self.types: TypePrinter = TypePrinter(self.metadata, declared)
        self.patterns = PatternPrinter(self)
        self._annotate = annotate
        self._plan = Plan(())
        self._texts: dict[Node, str] = {}
        """How what is in scope is referred to: variables, temporaries, and leaves once met."""
        self._var_texts: dict[Var, str] = {}
        self._names = Names()
        self._temps = 0
        self._bound: set[Var] = set()
        self._free: dict[Var, None] = {}
        self._declared: set[Var] = set()
        self._constructors: dict[tuple[str, str, int], str] = {}
        self._taken_words: set[str] = set()
        self._comments: dict[Type, str] = {}
        if before is not None:
            for var in before._free:
                self._add_free(var)

    # What the whole text needs

    def start(self, plan: Plan) -> None:
        """Take the plan of what is to be printed."""
        self._plan = plan
        self.types.count_uses(plan.types)

    def must_declare(self) -> bool:
        """Return whether printing has to start anew, now that the free variables are known."""
        bound_anew = any(var in self._bound and var not in self._declared for var in self._free)
        types = self.types
        return bound_anew or any(v in types.bound and v not in types.declared for v in types.free)

    def declarations(self) -> str:
        """Return the declarations of free variables, which stand at the beginning."""
        self.types.new_section(label_all=True)
        lines = [f"free_var {self._binder(var, again=False)};\n" for var in self._free]
        free = {**self.types.free, **dict.fromkeys(self.types.declared)}
        types = [f"{self.types.declare(var)}\n" for var in free]
        return "".join([*types, *lines, "\n"] if lines or types else [])

    def define_types(self, definitions: Iterable[TypeData]) -> None:
        """Take note of the types of the module, and of how their constructors are named."""
        names: dict[str, int] = {}
        listed = list(definitions)
        for data in listed:
            for constructor in data.constructors:
                name = constructor.name_hint
                names[name] = names.get(name, 0) + 1
        self.types.define([data.header.name_hint for data in listed])
        for data in listed:
            for constructor in data.constructors:
                owner, name = data.header.name_hint, constructor.name_hint
                text = _spell(name) if names[name] == 1 else _spell(f"{owner}::{name}")
                self._constructors[owner, name, len(constructor.inputs)] = text
                self._taken_words |= {name, f"{owner}::{name}"}

    def module_attrs(self, attrs: DictAttrs) -> None:
        """Write the attributes of the module."""
        self.out.append(f"#[attrs({spell_items(attrs, self)})]\n")

    def definitions(self, functions: Mapping[GlobalVar, Expr]) -> None:
        """Write the functions of a module, and what several of them share before them."""
        run(self._statements(self._plan.root, 0))
        if self._plan.root.nodes:
            self.out.append("\n")
        for name, func in functions.items():
            self.out.append(f"def {_spell_global(name.name_hint)}")
            if type(func) is Function and self._plan.position.get(func) is Position.DEFINITION:
                run(self._function_rest(func, 0))
            else:
                self.out.append(" = ")
                run(self._value(func, 0))
                self.out.append(";")
            self.out.append("\n\n")

    def whole(self, expr: Expr) -> None:
        """Write an expression that stands alone."""
        run(self._block(self._plan.root, expr, 0))

    # Blocks

    def _statements(self, scope: Scope, depth: int) -> Rule:
        """The lines of what is used as an operand in ``scope``."""
        out, texts, indent = self.out, self._texts, _INDENTS[depth]
        for node in scope.nodes:
            name = f"%{self._temps}"
            self._temps += 1
            plain = _PLAIN.get(type(node))
            if plain is not None:
                out.append(f"{indent}{name} = {plain(self, node)}{self._comment(node)};\n")
            else:
                out.append(f"{indent}{name} = ")
                yield _NESTING[type(node)](self, node, depth)
                out.append(f"{self._comment(node)};\n")
            texts[node] = name

    def _block(self, scope: Scope, node: Expr, depth: int, *, is_let: bool = False) -> Rule:
        """Statements and the result ``node``, a line each."""
        depth = min(depth, _DEEPEST)
        out, indent, position = self.out, _INDENTS[depth], self._plan.position
        lets: list[Var] = []
        if scope.nodes:
            yield self._statements(scope, depth)
        while type(node) is Let and (is_let or position.get(node) is Position.TAIL):
            is_let = False
            var, value = node.var, node.value
            out.append(f"{indent}let ")
            in_value = type(value) is Function and position.get(value) is Position.VALUE
            text = self._bind(var, lets)
            if not in_value:
                self._suspend(var, lets)
            out.append(f"{text} = ")
            plain = _PLAIN.get(type(value))
            if plain is not None and value in position:
                out.append(f"{plain(self, value)}{self._comment(value)};\n")
            else:
                yield self._value(value, depth)
                out.append(";\n")
            if not in_value:
                self._resume(var, lets)
            scope = self._plan.inner[node][1]
            node = node.body
            if scope.nodes:
                yield self._statements(scope, depth)
        out.append(indent)
        yield self._value(node, depth)
        out.append("\n")
        self._leave(lets)

    def _value(self, node: Expr, depth: int) -> Rule:
        """An expression where any may stand."""
        if type(node) in LEAVES or node not in self._plan.position:
            self.out.append(self.operand(node))
            return
        plain = _PLAIN.get(type(node))
        if plain is not None:
            self.out.append(plain(self, node))
        else:
            yield _NESTING[type(node)](self, node, depth)
        self.out.append(self._comment(node))

    def _braces(self, let: Let, depth: int) -> Rule:
        self.out.append("{\n")
        yield self._block(self._plan.inner[let][0], let, depth + 1, is_let=True)
        self.out.append(f"{_INDENTS[min(depth, _DEEPEST)]}}}")

    def _if(self, node: If, depth: int) -> Rule:
        true, false = self._plan.inner[node]
        out, indent = self.out, _INDENTS[min(depth, _DEEPEST)]
        out.append(f"if ({self.operand(node.cond)}) {{\n")
        yield self._block(true, node.true_branch, depth + 1)
        out.append(f"{indent}}} else {{\n")
        yield self._block(false, node.false_branch, depth + 1)
        out.append(f"{indent}}}")

    def _function(self, func: Function, depth: int) -> Rule:
        self.out.append("fn ")
        yield self._function_rest(func, depth)

    def _function_rest(self, func: Function, depth: int) -> Rule:
        """A function without the word, or name, before it."""
        bound: list[Var] = []
        types = self.types.binders(func.type_params)
        parts = [self._bind(param, bound) for param in func.params]
        if func.attrs is not None:
            keys = len(func.attrs.keys())
            parts.append(spell_items(func.attrs, self) if keys else self._whole(func.attrs))
        result = "" if func.ret_type is None else f" -> {self.types.text(func.ret_type)}"
        self.out.append(f"{types}({', '.join(parts)}){result} {{\n")
        yield self._block(self._plan.inner[func][0], func.body, depth + 1)
        self.out.append(f"{_INDENTS[min(depth, _DEEPEST)]}}}")
        self._leave(bound)
        self.types.leave(func.type_params)

    def _match(self, node: Match, depth: int) -> Rule:
        out, arm_depth = self.out, min(depth + 1, _DEEPEST)
        indent = _INDENTS[arm_depth]
        word = "match" if node.complete else "match?"
        out.append(f"{word} ({self.operand(node.data)}) {{\n")
        for clause, scope in zip(node.clauses, self._plan.inner[node], strict=True):
            bound: list[Var] = []
            out.append(f"{indent}{self.patterns.text(clause.lhs, bound)} => {{\n")
            yield self._block(scope, clause.rhs, depth + 2)
            out.append(f"{indent}}},\n")
            self._leave(bound)
        out.append(f"{_INDENTS[min(depth, _DEEPEST)]}}}")

    # What does not nest

    def _call(self, call: Call) -> str:
        texts = self._texts
        op = call.op
        if not call.args and type(op) is Constructor and self._stands_alone(call, op):
            return self.constructor(op)
        try:
            args = ", ".join([texts[arg] for arg in call.args])
            name = texts[op]
        except KeyError:
            args = ", ".join([self.operand(arg) for arg in call.args])
            name = self.operand(op)
        if call.type_args and type(op) is not Op:
            name = f"{name}[{', '.join([self.types.text(item) for item in call.type_args])}]"
        attrs = call.attrs
        declared = attrs_type.get(op)
        if attrs is None and declared is None:
            return f"{name}({args})"
        shown = self._attrs(attrs, declared)
        return f"{name}({args}, {shown})" if args and shown else f"{name}({args}{shown})"

    def _attrs(self, attrs: Attrs | None, declared: type[Attrs] | None) -> str:
        """Return the attributes of a call, as a whole where their names do not tell their class."""
        expected = DictAttrs if declared is None else declared
        if type(attrs) is not expected or (expected is DictAttrs and not attrs.keys()):
            return self._whole(attrs)
        return spell_items(attrs, self)

    def _whole(self, attrs: Attrs | None) -> str:
        return self.metadata.refer("" if attrs is None else attrs.type_key, attrs)

    def _tuple(self, node: Tuple) -> str:
        fields = ", ".join([self.operand(item) for item in node.fields])
        return f"({fields},)" if len(node.fields) == 1 else f"({fields})"

    def _project(self, node: TupleGetItem) -> str:
        return f"{self.operand(node.tuple_value)}.{node.index}"

    def operand(self, node: Expr) -> str:
        """Return how an expression is referred to where it is used."""
        found = self._texts.get(node)
        return found if found is not None else _LEAF_TEXTS[type(node)](self, node)

    def type_text(self, item: Type) -> str:
        """Return the text of a type."""
        return self.types.text(item)

    def _comment(self, node: Expr) -> str:
        if self._annotate is not None:
            shown = self._annotate(node)
        elif node.checked_type is None:
            return ""
        else:
            shown = self._type_comment(node.checked_type)
        return f" /* {shown.replace('*/', '* /')} */" if shown else ""

    def _type_comment(self, item: Type) -> str:
        found = self._comments.get(item)
        if found is None:
            quiet = TypePrinter(MetadataWriter())
            small = quiet.size(item) <= _SHORT_TYPE
            found = self._comments[item] = f"ty={quiet.text(item)}" if small else ""
        return found

    def _leaf_global(self, node: GlobalVar) -> str:
        text = self._texts[node] = _spell_global(node.name_hint)
        return text

    def _leaf_op(self, node: Op) -> str:
        text = _spell_op(node)
        if text is None or node.name in self._taken_words or text in self._taken_words:
            text = self.metadata.refer("Op", node)
        self._texts[node] = text
        return text

    def _leaf_constant(self, node: Constant) -> str:
        value = node.data
        if value is None:
            text: str | None = "None"
        elif isinstance(value, str):
            text = quote(value)
        else:
            text = spell_scalar(value) if isinstance(value, np.generic) else None
        if text is None:
            text = self.metadata.refer("relay.Constant", node)
        text = self._texts[node] = text + self._comment(node)
        return text

    def constructor(self, constructor: Constructor) -> str:
        """Return how a constructor is referred to."""
        key = (constructor.belong_to.name_hint, constructor.name_hint, len(constructor.inputs))
        known = self._constructors.get(key)
        return self.metadata.refer("relay.Constructor", constructor) if known is None else known

    def _leaf_constructor(self, node: Constructor) -> str:
        text = self.constructor(node)
        if not node.inputs and self._is_defined(node):
            text = f"{text}::"  # its name alone is its value
        self._texts[node] = text
        return text

    def _is_defined(self, node: Constructor) -> bool:
        key = (node.belong_to.name_hint, node.name_hint, len(node.inputs))
        return key in self._constructors

    def _stands_alone(self, call: Call, op: Constructor) -> bool:
        """Return whether the name of a constructor without fields says all of its call."""
        plain = not op.inputs and call.attrs is None and not call.type_args
        return plain and self._is_defined(op)

    # Variables

    def _leaf_var(self, var: Var) -> str:
        """A variable that nothing around binds."""
        self._add_free(var)
        return self._texts[var]

    def _add_free(self, var: Var) -> None:
        """Let ``var``, and what it shares memory with, be declared at the beginning."""
        chain = [var]
        while (share := chain[-1].may_share) is not None and share not in self._texts:
            chain.append(share)
        for item in reversed(chain):
            self._free[item] = None
            self._declared_text(item)

    def _declared_text(self, var: Var) -> None:
        if var not in self._bound:
            self._declared.add(var)
        self._texts[var] = self._name(var)

    def _name(self, var: Var) -> str:
        text = self._var_texts.get(var)
        if text is None:
            text = self._var_texts[var] = f"%{spell_name(self._names.take(var.name_hint))}"
        return text

    def bind(self, var: Var) -> str:
        """Bring a variable of a pattern into scope."""
        return self._bind(var, [])

    def _bind(self, var: Var, bound: list[Var]) -> str:
        """Bring ``var`` into scope and return its text there; note in ``bound`` what must leave."""
        again = var in self._bound or var in self._declared
        self._bound.add(var)
        text = self._binder(var, again=again)
        if var not in self._texts:
            bound.append(var)
            self._texts[var] = self._name(var)
        return text

    def _binder(self, var: Var, *, again: bool) -> str:
        name = self._name(var)
        if again:
            return f"{name}-malformed-ir"
        if var.may_share is not None:
            name = f"{name}(share: {self.operand(var.may_share)})"
        if var.type_annotation is not None:
            return f"{name}: {self.types.text(var.type_annotation)}"
        return name

    def _suspend(self, var: Var, bound: list[Var]) -> None:
        """Take a variable out of scope while its own value is written."""
        if bound and bound[-1] is var:
            del self._texts[var]

    def _resume(self, var: Var, bound: list[Var]) -> None:
        if bound and bound[-1] is var:
            self._texts[var] = self._name(var)

    def _leave(self, bound: list[Var]) -> None:
        for var in bound:
            if var not in self._free:
                self._texts.pop(var, None)


_PLAIN: Final[dict[type[Node], Callable[[BlockPrinter, Any], str]]] = {  # Any: a node of the kind
    Call: BlockPrinter._call,
    Tuple: BlockPrinter._tuple,
    TupleGetItem: BlockPrinter._project,
    RefCreate: lambda printer, node: f"ref({printer.operand(node.value)})",
    RefRead: lambda printer, node: f"ref_read({printer.operand(node.ref)})",
    RefWrite: lambda printer, node: (
        f"ref_write({printer.operand(node.ref)}, {printer.operand(node.value)})"
    ),
}
_NESTING: Final[dict[type[Node], Callable[[BlockPrinter, Any, int], Rule]]] = {  # Any: likewise
    If: BlockPrinter._if,
    Function: BlockPrinter._function,
    Match: BlockPrinter._match,
    Let: BlockPrinter._braces,
}
_LEAF_TEXTS: Final[dict[type[Node], Callable[[BlockPrinter, Any], str]]] = {  # Any: likewise
    Var: BlockPrinter._leaf_var,
    GlobalVar: BlockPrinter._leaf_global,
    Op: BlockPrinter._leaf_op,
    Constant: BlockPrinter._leaf_constant,
    Constructor: BlockPrinter._leaf_constructor,
    Tuple: lambda _printer, _node: "()",  # the empty one: others have a line of their own
}


def _spell(name: str) -> str:
    spelt = quote(name) if name in EXPR_KEYWORDS else spell_name(name)
    return f"#{spelt}" if spelt.startswith('"') else spelt


def _spell_op(op: Op) -> str | None:
    """Return how an operator is written, by its name alone where that is read as the same one."""
    meant = ops_meant(op.name)
    if meant == (op,) or (not meant and op.domain == RELAY.name):
        return _spell(op.name)
    qualifier = spell_name(op.domain)
    if qualifier in EXPR_KEYWORDS or qualifier.startswith('"'):
        return None
    return f"{qualifier}::{_spell(op.name)}"


def _spell_global(name: str) -> str:
    return f"@{spell_name(name)}"
