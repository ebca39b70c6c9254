"""Call graph of Relay's modules: which functions refer to which, how often, and in what order."""

from __future__ import annotations

from relayish.dataflow import call_graph
from relayish.dataflow.call_graph import CallGraphEntry, count_references
from relayish.errors import FieldError
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, GlobalVar
from relayish.ir.relay.module import IRModule

__all__ = ["CallGraph", "CallGraphEntry", "count_global_references"]


class CallGraph(call_graph.CallGraph[GlobalVar]):
    """The references between the global functions of a module.

    A reference is a place that holds a global variable, be it to call it or not; a node that the
    program shares is one place. A recursive function is one that refers to itself, by way of others
    or not. Iteration gives the entries in order of name.

    Args:
        module: A module, or an expression, which is looked at as the ``main`` of one.

    Complexity:
        Linear in distinct nodes of each function; no recursion.

    Source:
        Relay ``CallGraph``, where only a function that refers to itself directly is recursive.

    Example:
        >>> from relayish.text import parse
        >>> graph = CallGraph(parse('''#[version = "0.0.5"]
        ... def @twice(%x: int32) -> int32 { @next(@next(%x)) }
        ... def @next(%x: int32) -> int32 { %x + 1 }
        ... def @main(%x: int32) -> int32 { @twice(%x) }
        ... '''))
        >>> graph.ref_count("next"), graph["twice"].callees["next"], graph["next"].empty
        (2, 2, True)
        >>> [entry.name for entry in graph.topological_order()]
        ['next', 'twice', 'main']
        >>> print(graph.print_var("main"))
        Call graph node: main,  #refs = 0
          call site: <main> calls twice
    """

    __slots__ = ()

    def __init__(self, module: IRModule | Expr) -> None:
        given: object = module  # still to be checked
        if not isinstance(given, (IRModule, Expr)):
            raise FieldError(f"a call graph is made of an IRModule; found {given!r}")
        super().__init__(module if isinstance(module, IRModule) else IRModule.from_expr(module))


def count_global_references(expr: Node) -> dict[str, int]:
    """Return in how many places of ``expr`` each global variable stands, by order of occurrence.

    Complexity:
        Linear in distinct nodes and edges; no recursion.

    Example:
        >>> from relayish.ir.relay.expr import Call, Tuple
        >>> f = GlobalVar("f")
        >>> count_global_references(Tuple((f, Call(f, (GlobalVar("g"),)))))
        {'f': 2, 'g': 1}
    """
    return count_references(expr, IRModule)
