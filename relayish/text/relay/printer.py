"""Writing Relay text, format 0.0.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relayish._support import hooks
from relayish.errors import FieldError
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import TypeData
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import PrimExpr, Type
from relayish.text.layout import Layout, Position
from relayish.text.line_notes import LineNotes
from relayish.text.relay import families as _families  # noqa: F401 - completes the tables
from relayish.text.relay import metadata as _metadata_of_relay  # noqa: F401 - likewise
from relayish.text.relay.block_printer import BlockPrinter
from relayish.text.tables import family_of

Annotate = Callable[[Expr], str]


def astext(
    thing: IRModule | Node,
    show_meta_data: bool = True,
    annotate: Annotate | None = None,
    *,
    show_spans: bool = False,
) -> str:
    """Return the text of a module or node, which parses back to the same.

    Args:
        thing: What to write. A module is written with its header, anything else without. Nodes of
            kinds without a text of their own are written in the generic form.
        show_meta_data: Write the metadata section too, in which large constants stand. Without it
            the text is for people and does not parse where it refers to metadata; dimensions and
            constructors then go by their names.
        annotate: Called with each expression that has a line of its own; what it returns is written
            behind it in a comment, in place of the inferred type.
        show_spans: Write where an expression comes from behind it, ``/* ty=int32 span=f:1:2 */``,
            as TVM always does.

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
    if not isinstance(thing, (IRModule, Node)):
        raise FieldError(
            f"{thing!r} ({type(thing).__name__}) has no text; expected a module or a node"
        )
    return _text(thing, show_meta_data, annotate, show_spans=show_spans)


def annotated_text(thing: IRModule | Node, notes: LineNotes) -> str:
    """Return the text of a module or node with comments around its lines; it parses back."""
    return _text(thing, show_meta_data=True, annotate=None, notes=notes)


def _text(
    thing: IRModule | Node,
    show_meta_data: bool,
    annotate: Annotate | None,
    notes: LineNotes | None = None,
    *,
    show_spans: bool = False,
) -> str:
    def make(before: BlockPrinter | None = None) -> BlockPrinter:
        printer = BlockPrinter(annotate, not show_meta_data, before)
        printer.notes, printer.show_spans = notes, show_spans
        return printer

    text, printer = write_program(thing, make)
    if printer.metadata:
        text = f"{text.rstrip()}\n\n{_metadata(printer, show_meta_data)}\n"
    return text


def write_program(
    thing: IRModule | Node, make: Callable[[BlockPrinter | None], BlockPrinter]
) -> tuple[str, BlockPrinter]:
    """Return the text of a module or node without its metadata, and the printer that wrote it.

    Args:
        thing: What to write.
        make: Makes a printer; given another, one that declares first what that has found free.
    """
    definitions = thing.type_definitions.values() if isinstance(thing, IRModule) else None
    printer = make(None)
    printer.define_types(definitions)
    body, declarations = _write(printer, thing), printer.declarations()
    if printer.must_declare():
        printer = make(printer)
        printer.define_types(definitions)
        declarations, body = printer.declarations(), _write(printer, thing)  # as they are read
    header = '#[version = "0.0.5"]\n' if isinstance(thing, IRModule) else ""
    return f"{header}{declarations}{body}", printer


def _metadata(printer: BlockPrinter, show: bool) -> str:
    if show:
        return printer.metadata.section()
    return "/* metadata is left out; show_meta_data=True writes it */"


def _write(printer: BlockPrinter, thing: IRModule | Node) -> str:
    return _write_node(printer, thing) if isinstance(thing, Node) else _write_module(printer, thing)


def _write_module(printer: BlockPrinter, mod: IRModule) -> str:
    definitions = mod.type_definitions
    functions = mod.functions
    roots = [(func, Position.DEFINITION) for func in functions.values()]
    layout = Layout(roots, printer.free)
    layout.apart += [
        item
        for data in definitions.values()
        for constructor in data.constructors
        for item in constructor.inputs
    ]
    printer.start(layout)
    if mod.attrs is not None:
        printer.module_attrs(mod.attrs)
    for data in definitions.values():
        printer.out.append(f"{printer.types.definition(data)}\n\n")
    printer.definitions(functions)
    return "".join(printer.out).rstrip("\n") + "\n"


def _write_node(printer: BlockPrinter, node: Node) -> str:
    if isinstance(node, Type):
        printer.types.count_uses([node])
    if isinstance(node, TypeData):
        return printer.types.definition(node)
    if isinstance(node, PrimExpr):
        return printer.types.dimension(node)
    if family_of(type(node)) is not None:
        return printer.family_text(node)
    printer.start(Layout([(node, Position.TAIL)], printer.free))
    printer.write_alone(node)
    return "".join(printer.out).rstrip("\n")


def _print(thing: Any) -> str:  # Any: as above
    return astext(thing, show_meta_data=False).removesuffix("\n")  # print adds one


hooks.printer = _print
hooks.text = astext
hooks.annotators[RELAY.name] = annotated_text
