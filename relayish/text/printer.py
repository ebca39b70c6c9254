"""Writing Relay text, format 0.0.5."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from relayish._support import show
from relayish.errors import FieldError
from relayish.ir.relay.adt import (
    Pattern,
    TypeData,
)
from relayish.ir.relay.expr import Expr, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Type
from relayish.text.block_printer import BlockPrinter
from relayish.text.scopes import Plan, Position

Annotate = Callable[[Expr], str]


def astext(
    thing: IRModule | Expr | Type | Pattern,
    show_meta_data: bool = True,
    annotate: Annotate | None = None,
) -> str:
    """Return the text of a module, expression, type or pattern, which parses back to the same.

    Args:
        thing: What to write. A module is written with its header, anything else without.
        show_meta_data: Write the metadata section too, in which large constants stand. Without it
            the text is for people and does not parse where it refers to metadata; dimensions and
            constructors then go by their names.
        annotate: Called with each expression that has a line of its own; what it returns is written
            behind it in a comment, in place of the inferred type.

    Returns:
        Text of the format that TVM reads and writes. Where that has no form for something,
        relayish has one of its own: see ``docs/text_format.md``.

    Raises:
        FieldError: If an attribute holds a value of a type that text does not know.

    Complexity:
        Linear in the number of distinct nodes: what is used twice is written once, and indentation
        stops growing at some depth. No recursion.

    Source:
        Relay ``AsText`` and its ``RelayTextPrinter``.

    Example:
        >>> from relayish.ir.relay.expr import Function, Var
        >>> x = Var("x")
        >>> print(astext(Function((x,), x)))
        fn (%x) {
          %x
        }
    """
    writer = _WRITERS.get(IRModule if isinstance(thing, IRModule) else type(thing))
    if writer is None:
        raise FieldError(
            f"{thing!r} ({type(thing).__name__}) has no text; expected a module, expression, type "
            f"or pattern"
        )
    printer = BlockPrinter(annotate, not show_meta_data)
    body = writer(printer, thing)
    declarations = printer.declarations()
    if printer.must_declare():
        printer = BlockPrinter(annotate, not show_meta_data, printer)
        body = writer(printer, thing)
        declarations = printer.declarations()
    header = '#[version = "0.0.5"]\n' if isinstance(thing, IRModule) else ""
    text = f"{header}{declarations}{body}"
    if printer.metadata:
        text = f"{text.rstrip()}\n\n{_metadata(printer, show_meta_data)}\n"
    return text


def _metadata(printer: BlockPrinter, show: bool) -> str:
    if show:
        return printer.metadata.section()
    return "/* metadata is left out; show_meta_data=True writes it */"


def _write_module(printer: BlockPrinter, mod: IRModule) -> str:
    definitions = mod.type_definitions
    printer.define_types(definitions.values())
    functions = cast("Mapping[GlobalVar, Expr]", mod.functions)
    plan = Plan([(func, Position.DEFINITION) for func in functions.values()])
    printer.start(plan)
    if mod.attrs is not None:
        printer.module_attrs(mod.attrs)
    for data in definitions.values():
        printer.out.append(f"{printer.types.definition(data)}\n\n")
    printer.definitions(functions)
    return "".join(printer.out).rstrip("\n") + "\n"


def _write_expr(printer: BlockPrinter, expr: Expr) -> str:
    printer.start(Plan([(expr, Position.TAIL)]))
    printer.whole(expr)
    return "".join(printer.out).rstrip("\n")


def _write_type(printer: BlockPrinter, item: Type) -> str:
    printer.types.count_uses([item])
    if isinstance(item, TypeData):
        return printer.types.definition(item)
    return printer.types.text(item)


def _write_pattern(printer: BlockPrinter, pattern: Pattern) -> str:
    return printer.patterns.text(pattern, [])


_WRITERS: Final[
    dict[type, Callable[[BlockPrinter, Any], str]]
] = {  # Any: a thing of the key's type
    IRModule: _write_module,
    **dict.fromkeys(Expr.kinds, _write_expr),
    **dict.fromkeys(Type.kinds, _write_type),
    **dict.fromkeys(Pattern.kinds, _write_pattern),
}


def _shown(thing: Any) -> str:  # Any: as above
    return astext(thing, show_meta_data=False)


show.printer = _shown
