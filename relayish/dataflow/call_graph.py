"""Call graph: which definitions of a module refer to which, how often, and in what order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Generic, TypeVar

from relayish._support.display import repr_mimebundle
from relayish._support.graph import components, reachable
from relayish.errors import UnknownNameError, suggest
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.scopes.scoping import PROGRAM

Name = TypeVar("Name")


class CallGraphEntry(Generic[Name]):
    """One function of a module in its call graph.

    ``entry[i]`` is the ``i``-th of the functions it refers to and ``len(entry)`` how many they are.
    """

    __slots__ = (
        "_graph", "callees", "callers", "function", "global_var", "is_recursive", "name",
        "undefined",
    )  # fmt: skip
    _repr_mimebundle_ = repr_mimebundle

    def __init__(self, graph: CallGraph[Name], global_var: Name, name: str) -> None:
        self._graph = graph
        self.global_var = global_var
        """What stands for the function: the key of the module."""
        self.name = name
        """The name of the function."""
        self.function: Node = graph.module[global_var]
        """What the module defines under the name."""
        self.callees: Mapping[str, int] = {}
        """How often it refers to each function, itself included, in order of first reference."""
        self.callers: Mapping[str, int] = {}
        """How often each function refers to it, in order of name."""
        self.undefined: tuple[str, ...] = ()
        """The names it refers to that the module does not define."""
        self.is_recursive = False
        """Whether a chain of references leads from it back to it."""

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

    def __getitem__(self, index: int) -> CallGraphEntry[Name]:
        return self._graph[list(self.callees)[index]]

    def __iter__(self) -> Iterator[CallGraphEntry[Name]]:
        for callee in self.callees:
            yield self._graph[callee]

    def __str__(self) -> str:
        lines = [f"Call graph node: {self.name},  #refs = {self.ref_count}"]
        for callee, count in self.callees.items():
            lines += [f"  call site: <{self.name}> calls {callee}"] * count
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        return f"<CallGraphEntry @{self.name}: {self.size} callees, {self.ref_count} references>"


class CallGraph(Generic[Name]):
    """The references between the definitions of a module, of whatever languages.

    A reference is a place that holds a name which the module defines, be it to call what has it or
    not; a node that the program shares is one place. A recursive function is one that refers to
    itself, by way of others or not. Iteration gives the entries in order of name.

    Args:
        module: The module.

    Complexity:
        Linear in distinct nodes of each definition; no recursion.

    Source:
        Relay ``CallGraph``, where only a function that refers to itself directly is recursive.
    """

    __slots__ = ("_entries", "_groups", "module")
    _repr_mimebundle_ = repr_mimebundle

    def __init__(self, module: Module[Name]) -> None:
        self.module = module
        """The module whose graph this is."""
        self._entries: dict[str, CallGraphEntry[Name]] = {}
        for key in module.get_global_vars():
            name = str(module.name_of(key))
            self._entries[name] = CallGraphEntry(self, key, name)
        callers: dict[str, dict[str, int]] = {name: {} for name in self._entries}
        for name, entry in self._entries.items():
            found = count_references(entry.function, module)
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

    def __getitem__(self, var: Name | str) -> CallGraphEntry[Name]:
        """Return the entry of a function.

        Raises:
            UnknownNameError: If the module defines no such function.
        """
        name = var if isinstance(var, str) else self.module.name_of(var)
        if name is None or name not in self._entries:
            raise UnknownNameError(
                f"the call graph has no function @{name}{suggest(str(name), self._entries)}"
            )
        return self._entries[name]

    def __contains__(self, var: object) -> bool:
        return (var if isinstance(var, str) else self.module.name_of(var)) in self._entries

    def __iter__(self) -> Iterator[CallGraphEntry[Name]]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def ref_count(self, var: Name | str) -> int:
        """Return how often the functions of the module refer to the function ``var``."""
        return self[var].ref_count

    def global_call_count(self, var: Name | str) -> int:
        """Return how often the function ``var`` refers to functions of the module."""
        return self[var].global_call_count

    def is_recursive(self, var: Name | str) -> bool:
        """Return whether the function ``var`` refers to itself, by way of others or not."""
        return self[var].is_recursive

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the functions grouped by mutual reference; what a group refers to comes first."""
        return tuple([tuple(group) for group in self._groups])

    def topological_order(self) -> tuple[CallGraphEntry[Name], ...]:
        """Return all entries, callees before callers but where functions refer to one another.

        The order is the same for any two modules whose functions have the same names and refer to
        one another in the same order.
        """
        return tuple([self._entries[name] for group in self._groups for name in group])

    def roots(self) -> tuple[CallGraphEntry[Name], ...]:
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

    def reachable(self, roots: Iterable[Name | str]) -> frozenset[str]:
        """Return the names of all functions that ``roots`` refer to, directly or not, and theirs.

        Raises:
            UnknownNameError: If the module does not define one of ``roots``.
        """
        names = [self[root].name for root in roots]
        return frozenset(reachable(names, lambda name: self._entries[name].callees))

    def print_var(self, var: Name | str) -> str:
        """Return the entry of the function ``var`` as text."""
        return str(self[var])

    def __str__(self) -> str:
        """Return all entries as text, callers before callees."""
        return "\n".join(["CallGraph:", *map(str, reversed(self.topological_order()))])

    def __repr__(self) -> str:
        return f"<CallGraph of {self.module!r}>"


def count_references(root: Node, module: Module[Name] | type[Module[Name]]) -> dict[str, int]:
    """Return in how many places of ``root`` each name stands, by order of occurrence.

    Args:
        root: A piece of program.
        module: A module, or the class of modules, which tells what is a name of definitions.

    Complexity:
        Linear in distinct nodes and edges; no recursion.
    """
    found: dict[str, int] = {}
    seen: set[object] = set()
    named: dict[object, str | None] = {}
    stack: list[object] = [root]
    append, extend, push_all, names = stack.append, stack.extend, PROGRAM.push_all, NAMES
    while stack:
        node = stack.pop()
        if node in seen:
            text = named.get(node)
            if text is not None:
                found[text] += 1
            continue
        seen.add(node)
        if type(node) in names:
            text = named[node] = module.referred_name(node)
            if text is not None:
                found[text] = found.get(text, 0) + 1
            continue
        push = push_all[type(node)]  # type: ignore[index]  # nodes only
        if push is not None:
            push(node, append, extend)
    return found
