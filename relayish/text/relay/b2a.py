"""Programs as text and back, by AIR's names: ``b2a`` writes any domains, ``a2b`` reads them."""

from __future__ import annotations

from relayish.errors import FieldError
from relayish.ir.kinds.one_line import show_found
from relayish.ir.nodes.node import Node
from relayish.ir.relay.module import IRModule
from relayish.text.relay.parser import parse, parse_node
from relayish.text.relay.printer import astext

_HEADER = "#[version"


def b2a(program: IRModule | Node, *, spans: bool = False) -> str:
    r"""Return the text of a program, of whatever domains, which :func:`a2b` reads back.

    Relay's functions are written as TVM does, those of the loop IR as CINN does with a section of
    details, nodes of all other languages and domains in forms of their own or the generic one.

    Args:
        program: A module, or a node that is evaluated.
        spans: Write where expressions of Relay come from, in comments.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        AIR ``Print`` of its containers, which its documents call b2a.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> b2a(Tuple((Var("x"), Var("y"))))
        'free_var %x;\nfree_var %y;\n\n(%x, %y)'
    """
    return astext(program, show_spans=spans)


def a2b(text: str, source_name: str = "from_string") -> IRModule | Node:
    """Return the program of a text that :func:`b2a` wrote, structurally equal to what was written.

    Args:
        text: That of a module begins with the header ``#[version = "0.0.5"]``, that of a node does
            not.
        source_name: What spans and errors call it.

    Raises:
        ParseError: If it is no such text: what was found, where, and what was expected.
        FieldError: If it is no text.

    Complexity:
        Linear in the text; no recursion.

    Source:
        AIR's documents name it; its sources have none.

    Example:
        >>> a2b("(1, 2f)")
        Tuple(fields=(<Constant>, <Constant>))
    """
    if not isinstance(text, str):
        raise FieldError(
            f"the text of a program is read; found {show_found(text)}; read a file in binary form "
            f"by relayish.read_binary"
        )
    if text.lstrip("\ufeff \t\r\n").startswith(_HEADER):
        return parse(text, source_name)
    return parse_node(text, source_name)
