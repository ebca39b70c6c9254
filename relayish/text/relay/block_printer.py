"""Writing Relay's blocks: statements, functions, conditionals and matches.

Rules are generators as in the parser; what does not nest is written by plain functions.
"""

# ruff: noqa: SLF001 - the tables behind a class name its methods

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, cast

import numpy as np

import relayish.text.relay.block_layout  # noqa: F401 - says where statements are written
from relayish._support.trampoline import Rule, run
from relayish.ir.attributes.attrs import Attrs, attrs_class
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node
from relayish.ir.relay import expr as relay
from relayish.ir.relay.adt import Constructor, Match, Pattern, TypeData
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.type import Type, TypeVar
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.ir.values.literal import spell_scalar
from relayish.op.declaration.properties import attrs_in_metadata, attrs_type
from relayish.op.declaration.registry import is_declared_when_asked_for, ops_meant
from relayish.text.layout import OUTERMOST, Layout, Position
from relayish.text.line_notes import LineKind, comment_behind
from relayish.text.literals import quote, spell_name
from relayish.text.node_writer import NodeWriter
from relayish.text.relay.lexer import DEVICE, NONE, TYPE_ARGS, TYPE_KEY
from relayish.text.relay.pattern_printer import PatternPrinter
from relayish.text.relay.type_printer import TypePrinter
from relayish.text.tables import BRACKETED, LEAVES, TEXTS, Write, is_reserved
from relayish.text.values_writer import spell_items, spell_key, spell_value
from relayish.text.writer import DEEPEST, INDENTS

_SHORT_TYPE: Final = 64
"""Inferred types with more nodes than this are not written into comments."""


class BlockPrinter(NodeWriter):
    """Writes expressions onto ``out``, and nodes of other languages among them."""

    def __init__(
        self,
        annotate: Callable[[relay.Expr], str] | None,
        readable: bool = False,
        before: BlockPrinter | None = None,
    ) -> None:
        self._constructors: dict[tuple[str, str, int], str] = {}
        self._taken_words: set[str] = set()
        self._comments: dict[Type, str] = {}
        self._callees: dict[relay.Expr, tuple[type[Attrs] | None, bool]] = {}
        self.show_spans = False
        super().__init__(RELAY.name, annotate, readable, before)
        declared: Iterable[TypeVar] = () if before is None else before.types.free
        met_again: Iterable[Type] = () if before is None else before.types.met_again
        self.types: TypePrinter = TypePrinter(self.metadata, declared, met_again)
        self.patterns = PatternPrinter(self)

    # What the whole text needs

    def start(self, layout: Layout) -> None:
        super().start(layout)
        self.types.count_uses([item for item in layout.apart if isinstance(item, Type)])

    def must_declare(self) -> bool:
        types = self.types
        if (
            types.bound_late
            or types.met_again
            or any(v in types.bound and v not in types.declared for v in types.free)
        ):
            return True
        return super().must_declare()

    def declarations(self) -> str:
        """Return the declarations of free variables, which stand at the beginning."""
        self.types.begin_declarations()
        own = [var for var in self.free if type(var) is relay.Var]
        lines = [f"free_var {self.binder(var, again=False)};\n" for var in own]
        free = {**self.types.free, **dict.fromkeys(self.types.declared)}
        types = [f"{self.types.declare(var)}\n" for var in free]
        self.types.label_all = False
        return "".join([*types, *lines, "\n"] if lines or types else [])

    def define_types(self, definitions: Iterable[TypeData] | None) -> None:
        """Take note of the types of the module, if there is one, and of their constructors."""
        if definitions is None:
            return
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
                text = _spell(f"{owner}::{name}")
                if names[name] == 1:
                    text = name if name == NONE else _spell(name)
                self._constructors[owner, name, len(constructor.inputs)] = text
                self._taken_words |= {name, f"{owner}::{name}"}

    def module_attrs(self, attrs: DictAttrs) -> None:
        """Write the attributes of the module."""
        self.out.append(f"#[attrs({spell_items(attrs, self)})]\n")

    def definitions(self, functions: Mapping[relay.GlobalVar, Node]) -> None:
        """Write the functions of a module, and what several of them share before them."""
        run(self.statements(OUTERMOST, 0), self.out)
        if self.layout.lines[OUTERMOST]:
            self.out.append("\n")
        for name, func in functions.items():
            self.out.append(f"def {_spell_global(name.name_hint)}")
            if (
                type(func) is relay.Function
                and self.layout.position.get(func) is Position.DEFINITION
            ):
                run(self._function_rest(func, 0), self.out)
            else:
                run(self._write_in_line(func), self.out)
            self.out.append("\n\n")

    def _write_in_line(self, node: Node) -> Rule:
        self.out.append(" = ")
        yield self.write_value(node, 0)
        self.out.append(";")

    def write_alone(self, node: Node) -> None:
        """Write a node that stands alone."""
        run(self.body(OUTERMOST, node, 0), self.out)

    # Blocks

    def body(
        self,
        block: int | None,
        node: Node,
        depth: int,
        owner: Node | None = None,
        case: int = 0,
        *,
        is_let: bool = False,
    ) -> Rule:
        depth = min(depth, DEEPEST)
        layout, out, indent, position = self.layout, self.out, INDENTS[depth], self.layout.position
        lets: list[Node] = []
        texts = self.texts
        around, self._in_block = self._in_block, lets
        if block is not None and layout.lines[block]:
            yield self.statements(block, depth)
        while type(node) is relay.Let and (is_let or position.get(node) is Position.TAIL):
            is_let = False
            let, var, value = node, node.var, node.value
            place = self.note_before(LineKind.BINDING, let, indent)
            out.append(f"{indent}let ")
            in_value = type(value) is relay.Function and position.get(value) is Position.VALUE
            known = len(lets)
            text = self.bind(var, lets)
            hidden = not in_value and len(lets) > known  # while its own value is written
            if hidden:
                del texts[var]
            out.append(f"{text} = ")
            made = self.value_of(value, depth)
            if type(made) is str:
                out.append(f"{made};\n")
            elif type(value) in BRACKETED:
                out.append("(")
                yield made
                out.append(f"{self.comment(value)});\n")
            else:
                yield made
                out.append(f"{self.comment(value)};\n")
            if hidden:
                texts[var] = self.name(var)
            self.note_after(place, indent)
            after = layout.opened[let][1]
            node, owner, case = let.body, let, 0
            if layout.lines[after]:
                yield self.statements(after, depth)
        place = self.note_before(LineKind.RESULT, node, indent, owner, case)
        out.append(indent)
        made = self.value_of(node, depth)
        yield made
        out.append("\n" if type(made) is str else f"{self.comment(node)}\n")
        self.note_after(place, indent)
        self.leave(lets)
        self._in_block = around

    def _parentheses(self, let: relay.Let, depth: int) -> Rule:
        self.out.append("(\n")
        yield self.body(self.layout.opened[let][0], let, depth + 1, is_let=True)
        self.out.append(f"{INDENTS[min(depth, DEEPEST)]})")

    def _if(self, node: relay.If, depth: int) -> Rule:
        _, true, false = self.layout.opened[node]
        out, indent = self.out, INDENTS[min(depth, DEEPEST)]
        out.append(f"if ({self.operand(node.cond)}) {{\n")
        yield self.body(true, node.true_branch, depth + 1, node, 0)
        out.append(f"{indent}}} else {{\n")
        yield self.body(false, node.false_branch, depth + 1, node, 1)
        out.append(f"{indent}}}")

    def _function(self, func: relay.Function, depth: int) -> Rule:
        self.out.append("fn ")
        yield self._function_rest(func, depth)

    def _function_rest(self, func: relay.Function, depth: int) -> Rule:
        """A function without the word, or name, before it."""
        bound: list[Node] = []
        types = self.types.bind_types(func.type_params)
        parts = [self.bind(param, bound) for param in func.params]
        if func.attrs is not None:
            keys = func.attrs.keys()
            as_items = keys and DEVICE not in keys
            parts.append(
                spell_items(func.attrs, self) if as_items else self._refer_attributes(func.attrs)
            )
        if func.virtual_device is not None:
            parts.append(self._spell_device(func.virtual_device))
        self.out.append(f"{types}({', '.join(parts)}){self.result(func)} {{\n")
        yield self.body(self.layout.opened[func][1], func.body, depth + 1, func)
        self.out.append(f"{INDENTS[min(depth, DEEPEST)]}}}")
        self.leave(bound)
        self.types.leave_types(func.type_params)

    def result(self, func: relay.Function) -> str:
        """Return what stands behind the parameters of a function."""
        return "" if func.ret_type is None else f" -> {self.types.text(func.ret_type)}"

    def _match(self, node: Match, depth: int) -> Rule:
        out, arm_depth = self.out, min(depth + 1, DEEPEST)
        indent = INDENTS[arm_depth]
        word = "match" if node.complete else "match?"
        out.append(f"{word} ({self.operand(node.data)}) {{\n")
        blocks = self.layout.opened[node][1:]
        for case in range(len(blocks)):
            clause, bound = node.clauses[case], list[Node]()
            out.append(f"{indent}{self.patterns.text(clause.lhs, bound)} => {{\n")
            yield self.body(blocks[case], clause.rhs, depth + 2, node, case)
            out.append(f"{indent}}},\n")
            self.leave(bound)
        out.append(f"{INDENTS[min(depth, DEEPEST)]}}}")

    # What does not nest

    def _call(self, call: relay.Call, _depth: int) -> str:
        texts = self.texts
        op = call.op
        if not call.args and type(op) is Constructor and self._stands_alone(call, op):
            return f"{self.constructor(op)}{self._type_args(call)}"
        try:
            args = ", ".join(map(texts.__getitem__, call.args))
            name = texts[op]
        except KeyError:
            args = ", ".join([self.operand(arg) for arg in call.args])
            name = self.operand(op)
        if call.type_args and type(op) is not relay.Op:
            name += self._type_args(call)
        attrs = call.attrs
        known = self._callees.get(op)
        if known is None:
            keyed = not self.metadata.readable and op in attrs_in_metadata
            known = self._callees[op] = attrs_type.get(op), keyed
        declared, keyed = known
        if attrs is None and (declared is None or declared is DictAttrs):
            return f"{name}({args})"
        if declared is DictAttrs and type(attrs) is DictAttrs and not attrs.keys():
            shown = self._refer_attributes(attrs)
        elif type(attrs) is declared and not keyed:
            shown = spell_items(attrs, self)
        else:
            shown = self._attrs(attrs, declared, op)
        return f"{name}({args}, {shown})" if args and shown else f"{name}({args}{shown})"

    def _type_args(self, call: relay.Call) -> str:
        """Return the type arguments of a call, in a comment that TVM reads past."""
        if not call.type_args:
            return ""
        return f"{TYPE_ARGS}{', '.join([self.types.text(item) for item in call.type_args])}] */"

    def _attrs(self, attrs: Attrs | None, declared: type[Attrs] | None, callee: relay.Expr) -> str:
        """Return the attributes of a call, as a whole where their names do not tell their class.

        Where TVM does not know the class by the callee, it is told it behind them.
        """
        expected = DictAttrs if declared is None else declared
        if type(attrs) is expected and (expected is not DictAttrs or attrs.keys()):
            shown = spell_items(attrs, self)
            if not self._callees[callee][1]:
                return shown
        elif (
            type(callee) is relay.Op
            or attrs is None
            or attrs_class(attrs.type_key) is not type(attrs)
        ):
            return self._refer_attributes(attrs)
        else:
            shown = spell_items(attrs, self)
        key = f'{TYPE_KEY}="{attrs.type_key}"'
        return f"{shown}, {key}" if shown else key

    def _refer_attributes(self, attrs: Attrs | None) -> str:
        return self.metadata.refer("" if attrs is None else attrs.type_key, attrs)

    def _tuple(self, node: relay.Tuple, _depth: int) -> str:
        texts = self.texts
        try:
            fields = ", ".join([texts[item] for item in node.fields])
        except KeyError:
            fields = ", ".join([self.operand(item) for item in node.fields])
        return f"({fields},)" if len(node.fields) == 1 else f"({fields})"

    def _project(self, node: relay.TupleGetItem, _depth: int) -> str:
        return f"{self.operand(node.tuple_value)}.{node.index}"

    def bind_family(self, item: Node, bound: list[Node]) -> str:
        assert isinstance(item, Pattern)
        return self.patterns.text(item, bound)

    def comment(self, node: Node) -> str:
        if self._annotate is not None:
            return super().comment(node)
        try:
            found = node.checked_type  # type: ignore[attr-defined]  # most nodes have types
        except AttributeError:
            found = None
        if found is None and not self.show_spans:
            return ""
        shown = "" if found is None else self._type_comment(found)
        span = getattr(node, "span", None) if self.show_spans else None
        if span is not None:
            shown += f"{' ' if shown else ''}span={span}"
        return comment_behind(shown)

    def _type_comment(self, item: Type) -> str:
        found = self._comments.get(item)
        if found is None:
            quiet = self.types.make_quiet()
            small = quiet.size(item) <= _SHORT_TYPE
            found = self._comments[item] = f"ty={quiet.text(item)}" if small else ""
        return found

    def _leaf_global(self, node: relay.GlobalVar) -> str:
        text = self.texts[node] = _spell_global(node.name_hint)
        return text

    def _leaf_op(self, node: relay.Op) -> str:
        text = _spell_op(node)
        if text is None or node.name in self._taken_words or text in self._taken_words:
            text = self.metadata.refer("Op", node)
        self.texts[node] = text
        return text

    def _leaf_constant(self, node: relay.Constant) -> str:
        value = node.data
        if value is None:
            text: str | None = None if NONE in self._taken_words else NONE
        elif isinstance(value, str):
            text = quote(value)
        else:
            text = spell_scalar(value) if isinstance(value, np.generic) else None
        if text is None:
            text = self.metadata.refer("relay.Constant", node)
        text = self.texts[node] = text + self.comment(node)
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
        self.texts[node] = text
        return text

    def _is_defined(self, node: Constructor) -> bool:
        key = (node.belong_to.name_hint, node.name_hint, len(node.inputs))
        return key in self._constructors

    def _stands_alone(self, call: relay.Call, op: Constructor) -> bool:
        """Return whether the name of a constructor without fields says all of its call."""
        return not op.inputs and call.attrs is None and self._is_defined(op)

    # Variables

    def _leaf_var(self, var: relay.Var) -> str:
        """A variable that nothing around binds."""
        self.add_free(var)
        return self.texts[var]

    def add_free(self, var: Node) -> None:
        chain = [var]
        while (share := getattr(chain[-1], "may_share", None)) is not None:
            if share in self.texts:
                break
            chain.append(share)
        for item in reversed(chain):
            super().add_free(item)

    def binder(self, var: Node, *, again: bool) -> str:
        if type(var) is not relay.Var:
            return super().binder(var, again=again)
        name = self.name(var)
        if again:
            return f"{name}-malformed-ir"
        if var.may_share is not None:
            name = f"{name}(share: {self.operand(var.may_share)})"
        if var.virtual_device is not None:
            name = f"{name} {{{self._spell_device(var.virtual_device)}}}"
        if var.type_annotation is not None:
            return f"{name}: {self.types.annotation(var.type_annotation)}"
        return name

    def _spell_device(self, device: VirtualDevice) -> str:
        return f"{DEVICE}={spell_value(device, self)}"


for _kind, _write in {
    relay.Call: BlockPrinter._call,
    relay.Tuple: BlockPrinter._tuple,
    relay.TupleGetItem: BlockPrinter._project,
    relay.RefCreate: lambda printer, node, _: f"ref({printer.operand(node.value)})",
    relay.RefRead: lambda printer, node, _: f"ref_read({printer.operand(node.ref)})",
    relay.RefWrite: lambda printer, node, _: (
        f"ref_write({printer.operand(node.ref)}, {printer.operand(node.value)})"
    ),
    relay.If: BlockPrinter._if,
    relay.Function: BlockPrinter._function,
    Match: BlockPrinter._match,
    relay.Let: BlockPrinter._parentheses,
}.items():
    TEXTS.register(_kind, cast(Write, _write))

BRACKETED.update({relay.If, Match})
LEAVES.update(
    {
        relay.Var: BlockPrinter._leaf_var,
        relay.GlobalVar: BlockPrinter._leaf_global,
        relay.Op: BlockPrinter._leaf_op,
        relay.Constant: BlockPrinter._leaf_constant,
        Constructor: BlockPrinter._leaf_constructor,
    }
)


def _spell(name: str) -> str:
    return f"#{quote(name)}" if is_reserved(name) else spell_key(name)


def _spell_op(op: relay.Op) -> str | None:
    """Return how an operator is written, by its name alone where that is read as the same one."""
    meant = ops_meant(op.name)
    if is_declared_when_asked_for(op.domain):
        meant = (op, op)  # whoever reads it may not know its name yet
    if meant == (op,) or (not meant and op.domain == RELAY.name):
        return _spell(op.name)
    qualifier = spell_name(op.domain)
    if is_reserved(qualifier) or qualifier.startswith('"'):
        return None
    return f"{qualifier}::{_spell(op.name)}"


def _spell_global(name: str) -> str:
    return f"@{spell_name(name)}"
