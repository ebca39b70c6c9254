"""Relay's own grammars among nodes of any language, and the text around these."""

from __future__ import annotations

from relayish.ir.relay.adt import Constructor, Pattern
from relayish.ir.relay.expr import Constant, Expr, Op
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import PrimExpr, Type
from relayish.text.node_reader import NodeReader
from relayish.text.reader import Grammar
from relayish.text.relay.expr_parser import expression
from relayish.text.relay.pattern_parser import PATTERN_WORDS, pattern
from relayish.text.relay.pattern_printer import PATTERN_PARTS
from relayish.text.relay.reader import Reader
from relayish.text.relay.statement_parser import block, statement
from relayish.text.relay.type_parser import TYPE_WORDS, size, type_, type_params, variable
from relayish.text.relay.type_printer import TYPE_PARTS, spell_dimension
from relayish.text.tables import VALUE_MARKS, Family, register_family
from relayish.text.values_writer import ValueContext, add_value_rule

register_family(
    Type,
    Family(
        "type",
        write=lambda printer, item: printer.types.text(item),
        read=type_,
        parts=TYPE_PARTS,
        words=TYPE_WORDS,
        bind=lambda printer, variables: printer.types.bind_types(variables),
        leave=lambda printer, variables: printer.types.leave_types(variables),
        read_bound=type_params,
    ),
)
register_family(
    PrimExpr,
    Family("", write=lambda printer, size: spell_dimension(printer.metadata, size), read=size),
)
VALUE_MARKS["?"] = AnyDim
register_family(
    Pattern,
    Family(
        "pattern",
        write=lambda printer, item: printer.patterns.text(item, []),
        read=pattern,
        parts=PATTERN_PARTS,
        words=PATTERN_WORDS,
        entered=True,
    ),
)
NodeReader.grammar = Grammar(RELAY.name, expression, block, statement, variable, Reader.global_var)


@add_value_rule(Constant, Op, Constructor)
def _leaf(value: Expr, context: ValueContext) -> str:
    return context.metadata.refer(f"relay.{type(value).__name__}", value)
