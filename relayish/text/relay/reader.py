"""Parser state of Relay's text: operators, types and constructors by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from relayish._support.trampoline import Rule
from relayish.errors import FieldError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.expr import Expr, GlobalVar, Op, Var
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import GlobalTypeVar, Type
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op.declaration.properties import attrs_type
from relayish.op.declaration.registry import find_ops, list_bare_names, list_ops, ops_meant
from relayish.text.metadata_reader import Metadata, build_attrs
from relayish.text.node_reader import NodeReader
from relayish.text.reader import Binder
from relayish.text.relay.lexer import TYPE_KEY
from relayish.text.source import unquote_name


class Callee(NamedTuple):
    """What a name stands for in an expression, and the attributes a call without any has."""

    expr: Expr
    attrs_class: type[Attrs] | None
    default_attrs: Attrs | None
    is_fast: bool


_EMPTY: Final = DictAttrs()


class Reader(NodeReader):
    """A source with everything that names in it stand for so far."""

    def __init__(self, text: str, name: str, metadata: Metadata, *, unknown_ops: bool) -> None:
        super().__init__(text, name, metadata)
        self.unknown_ops = unknown_ops
        self.callees: dict[str, Callee] = {}
        """By the word that is written: what was called so far; by operator in ``operators``."""
        self.operators: dict[Expr, Callee] = {}
        self.globals: dict[str, GlobalVar] = {}
        self.global_uses: dict[str, int] = {}
        self.constructors: dict[str, Constructor | None] = {}
        self.types: dict[str, GlobalTypeVar] = {}
        self.type_uses: dict[str, int] = {}
        self.labels: dict[str, Node] = {}
        """Types and patterns that the text defines once (``#0=``) and uses again (``#0``)."""

    def read_labelled(
        self, what: str, rule: Callable[[Reader], Rule], found: re.Match[str], at: int
    ) -> Rule:
        """Read what stands behind ``#0=``, or return what ``#0`` stands for; see ``TYPE``."""
        key = f"{what} #{found['label']}"
        if found["defined"]:
            self.labels[key] = yield rule(self)
        elif key not in self.labels:
            self.fail(f"{key} is used before #{found['label']}=... defines it", at)
        return self.labels[key]

    def make_var(
        self, binder: Binder, annotation: Type | None, device: VirtualDevice | None
    ) -> Var:
        """Return a new variable, or the one bound before when it is marked ``-malformed-ir``."""
        if not binder.again:
            share = binder.share
            if share is not None and not isinstance(share, Var):
                self.fail(f"{binder.key} shares memory with no variable of Relay", binder.at)
            return Var(binder.name, annotation, share, device, span=self.span(binder.at, self.pos))
        found = self.bound_before(binder)
        if not isinstance(found, Var):
            self.fail(f"{binder.key} is no variable of Relay", binder.at)
        return found

    def expr(self, value: object, at: int) -> Expr:
        """Return ``value``, which must be an expression of Relay."""
        if isinstance(value, Expr):
            return value
        found = type(value).__name__
        raise self.error(f"expected an expression of Relay; found {found}", at)

    def check_exprs(self, at: int, *values: object) -> None:
        """Raise unless all ``values`` are expressions of Relay, as all are but in mixed texts."""
        if self.is_mixed:
            for value in values:
                self.expr(value, at)

    def global_var(self, name: str, at: int) -> GlobalVar:
        """Return the one node that stands for ``@name``, defined above, below or not yet."""
        found = self.globals.get(name)
        if found is None:
            found = self.globals[name] = GlobalVar(name, span=self.span(at, self.pos))
            self.global_uses[name] = at
        return found

    def global_type(self, name: str, at: int) -> GlobalTypeVar:
        """Return the one node that stands for the defined type ``name``."""
        found = self.types.get(name)
        if found is None:
            found = self.types[name] = GlobalTypeVar(name, span=self.span(at, self.pos))
            self.type_uses[name] = at
        return found

    def define_type(self, data: TypeData) -> None:
        """Let the type and its constructors be found by their names."""
        owner = data.header.name_hint
        self.types[owner] = data.header
        for constructor in data.constructors:
            short = constructor.name_hint
            self.constructors[short] = None if short in self.constructors else constructor
            self.constructors[f"{owner}::{short}"] = constructor

    def callee(self, word: str, at: int) -> Callee:
        """Return what an identifier, as it is written, stands for where an expression may stand."""
        found = self.callees.get(word)
        if found is None:
            found = self.callees[word] = self._find_callee(word, at)
        return found

    def _find_callee(self, word: str, at: int) -> Callee:
        name = unquote_name(word)
        if name in self.constructors:
            constructor = self.constructors[name]
            if constructor is None:
                owners = [k for k in self.constructors if k.endswith("::" + name)]
                self.fail(f"constructor {name} is ambiguous; write one of {', '.join(owners)}", at)
            return Callee(constructor, None, None, is_fast=True)
        return self.callee_of(self._operator(word, at))

    def _operator(self, word: str, at: int) -> Op:
        """Return the operator that a word names, ``domain::name`` or ``name`` alone.

        A name alone is that of Relay's own operator where there is one, whatever else is declared.
        """
        domain, mark, quoted = ("", "", "") if word.startswith("#") else word.partition("::")
        name = unquote_name(quoted if mark else word)
        owner = domain if mark else None
        found = ops_meant(name, owner) or find_ops(name, owner)
        if len(found) > 1:
            spelt = " or ".join([f"{op.domain}::{word}" for op in found])
            self.fail(f"operator {word} is ambiguous; write {spelt}", at)
        if found:
            return found[0]
        if not self.unknown_ops:
            known = [*list_ops(), *list_bare_names(), *self.constructors]
            self.unknown("operator", word, known, at)
        return intern_op(name, domain if mark else RELAY.name)

    def callee_of(self, expr: Expr) -> Callee:
        """Return what is known about an expression that is called."""
        if type(expr) is not Op:
            return Callee(expr, None, None, is_fast=True)
        known = self.operators.get(expr)
        if known is None:
            declared = attrs_type.get(expr)
            default, fast = self._default_attrs(declared)
            known = self.operators[expr] = Callee(expr, declared, default, is_fast=fast)
        return known

    def _default_attrs(self, declared: type[Attrs] | None) -> tuple[Attrs | None, bool]:
        if declared is None or declared is DictAttrs:
            return None, True
        try:
            return declared(), True
        except (TypeError, FieldError):
            return None, False  # some attribute has no default: such a call is an error

    def make_attrs(self, callee: Callee, values: dict[str, object], at: int) -> Attrs | None:
        """Return the attributes of a call from what its text gives of them."""
        if TYPE_KEY in values:
            key = str(values.pop(TYPE_KEY))
            try:
                return build_attrs(key, values)
            except (TypeError, FieldError) as error:
                self.fail(f"attributes {key} cannot be read: {error}", at)
        declared = callee.attrs_class
        if declared is None or declared is DictAttrs:
            return DictAttrs(values) if values else None
        if not values and callee.is_fast:
            return callee.default_attrs
        try:
            return declared(**values)
        except (TypeError, FieldError) as error:
            said = {n: v for n, v in values.items() if not _is_no_array(declared, n, v)}
            if len(said) < len(values):
                return self.make_attrs(callee, said, at)
            name = callee.expr.full_name if isinstance(callee.expr, Op) else ""
            known = list(declared.field_names)
            for key in values:
                if key not in known:
                    self.unknown(f"attribute of {name}:", key, known, at)
            for key in known:
                if key not in values and key not in declared.defaults:
                    self.fail(f"{name} is called without its attribute {key!r}", at)
            self.fail(f"attributes of {name} cannot be read: {error}", at)


def _is_no_array(declared: type[Attrs], name: str, value: object) -> bool:
    """Return whether TVM says ``None`` of an array that it was not given: it has its default."""
    return value is None and isinstance(declared.defaults.get(name), tuple)


def make_empty_attrs() -> DictAttrs:
    """Return attributes without entries."""
    return _EMPTY
