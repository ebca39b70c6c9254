"""Call graph: which functions of a module refer to which, how often, and in what order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from relayish._support.graph import components, reachable
from relayish.errors import FieldError, UnknownNameError, suggest
from relayish.ir.node import Node
from relayish.ir.relay.expr import Expr, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS


class CallGraphEntry:
    """One function of a module in its call graph.

    ``entry[i]`` is the ``i``-th of the functions it refers to and ``len(entry)`` how many they are.
    """

    __slots__ = ("_graph", "callees", "callers", "global_var", "is_recursive", "undefined")

    def __init__(self, graph: CallGraph, global_var: GlobalVar) -> None:
        self._graph = graph
        self.global_var = global_var
        """The name of the function."""
        self.callees: Mapping[str, int] = {}
        """How often it refers to each function, itself included, in order of first reference."""
        self.callers: Mapping[str, int] = {}
        """How often each function refers to it, in order of name."""
        self.undefined: tuple[str, ...] = ()
        """The names it refers to that the module does not define."""
        self.is_recursive = False
        """Whether a chain of references leads from it back to it."""

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.global_var.name_hint

    @property
    def function(self) -> Node:
        """What the module defines under the name."""
        return self._graph.module[self.global_var]

    @property
    def ref_count(self) -> int:
        """How often the functions of the module refer to it, itself included."""
        return sum(self.callers.values())

    @property
    def global_call_count(self) -> int:
        """How often it refers to functions of the module."""
        return sum(self.callees.values())

    @property
    def empty(self) -> bool:
        """Whether it refers to no function of the module."""
        return not self.callees

    @property
    def size(self) -> int:
        """How many functions of the module it refers to."""
        return len(self.callees)

    def __len__(self) -> int:
        return len(self.callees)

    def __bool__(self) -> bool:
        return True  # an entry without callees is an entry

    def __getitem__(self, index: int) -> CallGraphEntry:
        return self._graph[list(self.callees)[index]]

    def __iter__(self) -> Iterator[CallGraphEntry]:
        for callee in self.callees:
            yield self._graph[callee]

    def __str__(self) -> str:
        lines = [f"Call graph node: {self.name},  #refs = {self.ref_count}"]
        for callee, count in self.callees.items():
            lines += [f"  call site: <{self.name}> calls {callee}"] * count
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        return f"<CallGraphEntry @{self.name}: {self.size} callees, {self.ref_count} references>"


class CallGraph:
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

    __slots__ = ("_entries", "_groups", "module")

    def __init__(self, module: IRModule | Expr) -> None:
        given: object = module  # still to be checked
        if not isinstance(given, (IRModule, Expr)):
            raise FieldError(f"a call graph is made of an IRModule; found {given!r}")
        self.module = module if isinstance(module, IRModule) else IRModule.from_expr(module)
        """The module whose graph this is."""
        names = self.module.get_global_vars()
        self._entries = {name.name_hint: CallGraphEntry(self, name) for name in names}
        callers: dict[str, dict[str, int]] = {name: {} for name in self._entries}
        for name, entry in self._entries.items():
            found = count_global_references(entry.function)
            entry.callees = MappingProxyType({n: k for n, k in found.items() if n in callers})
            entry.undefined = tuple([callee for callee in found if callee not in callers])
            for callee, count in entry.callees.items():
                callers[callee][name] = count
        for name, entry in self._entries.items():
            entry.callers = MappingProxyType(callers[name])
        self._groups = components({name: e.callees for name, e in self._entries.items()})
        for group in self._groups:
            for name in group:
                entry = self._entries[name]
                entry.is_recursive = len(group) > 1 or name in entry.callees

    def __getitem__(self, var: GlobalVar | str) -> CallGraphEntry:
        """Return the entry of a function.

        Raises:
            UnknownNameError: If the module defines no such function.
        """
        name = var.name_hint if isinstance(var, GlobalVar) else var
        if name not in self._entries:
            raise UnknownNameError(
                f"the call graph has no function @{name}{suggest(name, self._entries)}"
            )
        return self._entries[name]

    def __contains__(self, var: object) -> bool:
        return (var.name_hint if isinstance(var, GlobalVar) else var) in self._entries

    def __iter__(self) -> Iterator[CallGraphEntry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def ref_count(self, var: GlobalVar | str) -> int:
        """Return how often the functions of the module refer to the function ``var``."""
        return self[var].ref_count

    def global_call_count(self, var: GlobalVar | str) -> int:
        """Return how often the function ``var`` refers to functions of the module."""
        return self[var].global_call_count

    def is_recursive(self, var: GlobalVar | str) -> bool:
        """Return whether the function ``var`` refers to itself, by way of others or not."""
        return self[var].is_recursive

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the functions grouped by mutual reference; what a group refers to comes first."""
        return tuple([tuple(group) for group in self._groups])

    def topological_order(self) -> tuple[CallGraphEntry, ...]:
        """Return all entries, callees before callers but where functions refer to one another.

        The order is the same for any two modules whose functions have the same names and refer to
        one another in the same order.
        """
        return tuple([self._entries[name] for group in self._groups for name in group])

    def roots(self) -> tuple[CallGraphEntry, ...]:
        """Return entries from which all functions are reached, in order of name.

        They are the functions no other refers to, and of each group of functions that refer to one
        another, and to which no other function refers, the first by name.
        """
        found: list[str] = []
        for group in self._groups:
            inside = set(group)
            if all(caller in inside for name in group for caller in self._entries[name].callers):
                found.append(min(group))
        return tuple([self._entries[name] for name in sorted(found)])

    def reachable(self, roots: Iterable[GlobalVar | str]) -> frozenset[str]:
        """Return the names of all functions that ``roots`` refer to, directly or not, and theirs.

        Raises:
            UnknownNameError: If the module does not define one of ``roots``.
        """
        names = [self[root].name for root in roots]
        return frozenset(reachable(names, lambda name: self._entries[name].callees))

    def print_var(self, var: GlobalVar | str) -> str:
        """Return the entry of the function ``var`` as text."""
        return str(self[var])

    def __str__(self) -> str:
        """Return all entries as text, callers before callees."""
        return "\n".join(["CallGraph:", *map(str, reversed(self.topological_order()))])

    def __repr__(self) -> str:
        return f"<CallGraph of {self.module!r}>"


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
    found: dict[str, int] = {}
    seen: set[object] = set()
    stack: list[object] = [expr]
    append, extend, push_all = stack.append, stack.extend, EXPRESSIONS.push_all
    while stack:
        node = stack.pop()
        if type(node) is GlobalVar:
            found[node.name_hint] = found.get(node.name_hint, 0) + 1
            continue
        if node in seen:
            continue
        seen.add(node)
        push = push_all[type(node)]  # type: ignore[index]  # nodes only
        if push is not None:
            push(node, append, extend)
    return found
