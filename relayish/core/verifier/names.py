"""Names of a module: what is named is defined, as what it is used as."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from relayish.core.ir.definition import Entry, FuncDecl, FuncEntry, GlobalVariable, StructDef
from relayish.core.ir.family import Definition
from relayish.core.ir.memory import Ldf, Ldo, Ldpf, Stf, Sto, Stpf, type_of
from relayish.core.ir.symbol import Global
from relayish.core.ir.type import Type
from relayish.core.layout import Layout, layout_of
from relayish.core.verifier.rule import Rule
from relayish.errors import FieldError, indefinite, suggest
from relayish.ir.fields.roles import Access
from relayish.ir.kinds.one_line import one_line
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.verification.rules import Report


class Names:
    """What a module defines, and what definitions demand of those who use them."""

    def __init__(self, mod: AnyModule) -> None:
        self._defined = {mod.name_of(key) or "": node for key, node in mod.functions.items()}
        self._layout: Layout = layout_of(mod)
        self._structs: dict[Type, tuple[str, ...]] = {}
        self._programs: list[str] = []

    def check(self, name: str, definition: Node, nodes: Iterable[Node], report: Report) -> None:
        """Report what is wrong with the names in a definition, which goes by ``name``."""
        for node in nodes:
            for held in _types_in(node):
                self._check_structures(node, held, report)
            rule = _RULES.get(type(node))
            if rule is not None:
                rule(self, node, report)
            for written in _WRITTEN[type(node)]:
                self._check_written(node, getattr(node, written), report)
        if isinstance(definition, StructDef):
            self._check_size(name, definition, report)
        elif isinstance(definition, Entry) and definition.is_program:
            self._programs.append(name)
            if len(self._programs) == 2:
                report(
                    Rule.DEFINITION,
                    definition,
                    f"the program begins at {' and at '.join(self._programs)}; expected one entry "
                    f"point of the program",
                )

    def _check_structures(self, node: Node, held: Type, report: Report) -> None:
        """Structures that a type names are defined."""
        missing = self._structs.get(held)
        if missing is None:
            named = _STRUCT.findall(held)
            missing = tuple(
                [name for name in named if not isinstance(self._defined.get(name), StructDef)]
            )
            self._structs[held] = missing
        for name in missing:
            report(
                Rule.NAME,
                node,
                f"{one_line(node)} is of a structure {name!r}, which the module does not define"
                f"{suggest(name, self._defined)}; define it as a StructDef",
            )

    def _check_size(self, name: str, definition: StructDef, report: Report) -> None:
        try:
            self._layout.size_of(f"struct {name}")
        except FieldError as error:
            if not report.violations:  # else it says why already
                report(Rule.DEFINITION, definition, str(error))

    def check_global(self, symbol: Global, report: Report) -> None:
        """A name stands for what is defined under it."""
        definition = self._defined.get(symbol.name)
        if definition is None:
            report(
                Rule.NAME,
                symbol,
                f"the module does not define {symbol.name!r}{suggest(symbol.name, self._defined)}; "
                f"define it, or declare the function: FuncDecl({str(symbol.type)!r})",
            )
            return
        if not isinstance(definition, Definition):
            return  # of another language, whose types are not those of core
        held = self._type_of(definition)
        if held is None:
            report(
                Rule.NAME,
                symbol,
                f"{symbol.name!r} is used as {symbol.type}, but is {indefinite(type(definition))}",
            )
        elif held != symbol.type:
            report(
                Rule.NAME,
                symbol,
                f"{symbol.name!r} is used as {symbol.type}, but the module defines it as {held}; "
                f"both must be one type",
            )

    def _type_of(self, definition: Node) -> Type | None:
        if isinstance(definition, FuncEntry | FuncDecl | GlobalVariable):
            return definition.type
        return definition.function.type if isinstance(definition, Entry) else None

    def check_entry(self, entry: Entry, report: Report) -> None:
        """An entry point is that of a function."""
        named = self._defined.get(entry.function.name)
        if isinstance(named, Definition) and not isinstance(named, FuncEntry | FuncDecl):
            report(
                Rule.NAME,
                entry,
                f"an entry point is {entry.function.name!r}, which is "
                f"{indefinite(type(named))}; expected a function",
            )

    def check_field(self, node: Ldf | Ldpf | Stf | Stpf, report: Report) -> None:
        """A field is one of the structure, and is accessed as what it is."""
        symbol = node.preg if isinstance(node, Ldpf | Stpf) else node.symbol
        definition = self._struct_of(type_of(symbol))
        if definition is None:
            return  # of which is said what is wrong with it
        fields = dict(definition.fields)
        held = fields.get(node.field_name)
        accessed = node.access_type
        if isinstance(node, Stf | Stpf) and accessed is None:
            accessed = node.value.type
        if held is None:
            report(
                Rule.FIELD,
                node,
                f"{type_of(symbol)} has no field {node.field_name!r}"
                f"{suggest(node.field_name, fields)}",
            )
        elif held != accessed:
            report(
                Rule.FIELD,
                node,
                f"field {node.field_name!r} of {type_of(symbol)} is accessed as {accessed}; "
                f"expected {held}",
            )

    def _struct_of(self, given: Type) -> StructDef | None:
        found = self._defined.get(given.struct_name) if given.is_struct else None
        return found if isinstance(found, StructDef) else None

    def check_offset(self, node: Ldo | Sto, report: Report) -> None:
        """A part of a symbol lies within it."""
        accessed = node.access_type
        if isinstance(node, Sto):
            accessed = accessed or node.value.type
        whole = type_of(node.symbol)
        if accessed is None or self._structs.get(whole) or self._structs.get(accessed):
            return
        try:
            end, size = node.offset + self._layout.size_of(accessed), self._layout.size_of(whole)
        except FieldError as error:
            report(Rule.FIELD, node, str(error))
            return
        if end > size:
            report(
                Rule.FIELD,
                node,
                f"{type(node).visit_name} accesses bytes {node.offset} to {end - 1} of "
                f"{one_line(node.symbol)} of type {whole}, which has {size}",
            )

    def _check_written(self, node: Node, symbol: Node | None, report: Report) -> None:
        """Constants are not written."""
        if not isinstance(symbol, Global):
            return
        definition = self._defined.get(symbol.name)
        if isinstance(definition, GlobalVariable) and definition.is_const:
            report(
                Rule.SYMBOL,
                node,
                f"{type(node).visit_name} writes {one_line(symbol)}, which is constant; expected a "
                f"variable: define it with is_const=False",
            )


_RULES: Final[dict[type[Node], Callable[..., None]]] = {
    Global: Names.check_global,
    Entry: Names.check_entry,
    **dict.fromkeys((Ldf, Ldpf, Stf, Stpf), Names.check_field),
    **dict.fromkeys((Ldo, Sto), Names.check_offset),
}
_STRUCT: Final = re.compile(r"struct ([\w.]+)")
_WRITTEN: Final = ByKind(
    lambda kind: tuple(
        [
            declared.name
            for declared in kind.fields_
            if Access.WRITE in declared.access and Access.INDIRECT not in declared.access
        ]
    )
)
"""For each kind, the fields that name what its nodes write."""
_TYPE_FIELDS: Final = ByKind(
    lambda kind: tuple([field.name for field in kind.fields_ if Type in field.accepts])
)


def _types_in(node: Node) -> Iterable[Type]:
    """Return the types that the fields of a node say."""
    if isinstance(node, StructDef):
        return [held for _, held in node.fields]
    names: tuple[str, ...] = _TYPE_FIELDS[type(node)]
    found = [getattr(node, name) for name in names] if names else []
    return [held for held in found if held is not None]
