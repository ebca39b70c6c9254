"""Points-to analysis: inclusion constraints over values, solved by difference propagation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from relayish._support.collector import pause_collection
from relayish.dataflow.points_to.result import UNKNOWN, Call, FunctionSite, Leaks, PointsTo, Site
from relayish.dataflow.points_to.rules import VALUE_FLOW, ValueFlow
from relayish.errors import AnalysisError, indefinite
from relayish.ir.fields.roles import Role
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import ATOMS, NAMES, VARIABLES, Node
from relayish.ir.scopes.scoping import BOUND, PROGRAM


def find_points_to(
    program: Node | Module[Any], *, entries: Collection[str] | None = None
) -> PointsTo:
    """Return where the things that each value may be are created; functions among them.

    The analysis knows nothing of order and of who calls: what a variable stands for, and what is in
    a reference, is the union over all times and calls (0-CFA; Andersen's analysis). So it is sound
    for recursion, for functions that are returned, stored and passed on. Parts of tuples and data
    are told apart by key; a cell stands for all that its creation site creates. Arguments of
    functions that escape may be anything, as may free variables and names without a definition.

    Args:
        program: An expression, whose value becomes known outside; or a module.
        entries: The names of the definitions of a module that are called from outside; by default
            all are. What they do not refer to, by way of others or not, is not looked at.

    Raises:
        UnknownNameError: If the module does not define one of ``entries``.
        AnalysisError: If there are ``entries``, and no module.

    Complexity:
        Linear in distinct nodes where no value is a thing with identity; else at worst in the edges
        between values too, times ``MAX_SITES``. A value that may be more things is any that is
        known outside, and these are. No recursion.

    Source:
        Shivers, 0CFA; Andersen's points-to analysis, with differences propagated.

    Example:
        >>> from relayish.ir.relay.expr import Call, Function, If, Let, Var
        >>> c, f, x, y = Var("c"), Var("f"), Var("x"), Var("y")
        >>> one, other = Function((x,), x), Function((y,), c)
        >>> call = Call(f, (c,))
        >>> found = find_points_to(Let(f, If(c, one, other), call))
        >>> [site.node is one for site in found.functions_of(f)].count(True)
        1
        >>> len(found.calls[call].callees), found.calls[call].is_unknown
        (2, False)
    """
    with pause_collection():
        return _Constraints(program, entries).solve()


_Slot: TypeAlias = Hashable
"""What has a set: a node, a part of what a site creates, the outside."""

_Watch: TypeAlias = Callable[[Site], None]
"""Told of each site that a slot comes to hold."""

_OUTSIDE: Final = "outside"

MAX_SITES: Final = 100
"""How many things a value is told to be at most; if more, they are known outside, and it is any."""


class _Constraints(ValueFlow):
    def __init__(self, program: Node | Module[Any], entries: Collection[str] | None) -> None:
        given: object = program  # still to be checked
        if not isinstance(given, (Node, Module)):
            raise AnalysisError(
                f"programs are nodes or modules; found {indefinite(type(given))}; give a function, "
                f"an expression, a statement, or a module"
            )
        if isinstance(entries, str):
            raise AnalysisError(
                f"entries are several names; found the one {entries!r:.60}; write [{entries!r}]"
            )
        self._module = program if isinstance(program, Module) else None
        self._parent: dict[Node, Node] = {}  # of what is the same as another
        self._passed: list[tuple[Node, Node]] = []
        self._created: dict[Node, Mapping[Hashable, Node]] = {}
        self._mutable: set[Node] = set()
        self._functions: dict[Node, list[FunctionSite]] = {}
        self._reading: list[tuple[Node, Hashable, Node]] = []
        self._writing: list[tuple[Node, Hashable, Node]] = []
        self._calling: dict[Node, tuple[Node | None, tuple[Node, ...]]] = {}
        self._escaping: list[Node] = []
        self._given_away: dict[Node, list[Node]] = {}  # by the node that does
        self._stored: dict[Node, list[tuple[Node, Node]]] = {}
        self._told: Node  # what a rule tells of
        self._unknown: list[Node] = []

        self._sets: defaultdict[_Slot, set[Site]] = defaultdict(set)
        self._new: defaultdict[_Slot, set[Site]] = defaultdict(set)
        self._crowded: set[_Slot] = set()
        self._edges: defaultdict[_Slot, dict[_Slot, None]] = defaultdict(dict)
        self._watches: defaultdict[_Slot, list[_Watch]] = defaultdict(list)
        self._parts: defaultdict[Node, dict[Hashable, _Slot]] = defaultdict(dict)
        self._callees: defaultdict[Node, dict[Site, None]] = defaultdict(dict)

        if isinstance(program, Node):
            if entries is not None:
                raise AnalysisError(
                    f"entries are names of definitions of a module; found {sorted(entries)} and "
                    f"{one_line_at(program)}; leave them out, or analyse a module"
                )
            self._escaping.append(program)
        elif entries is None:
            self._escaping += program.functions.values()
        else:
            self._escaping += [program[name] for name in entries]
        self._seen: set[Node] = set()
        self._waiting = list(self._escaping)  # definitions that are referred to
        while self._waiting:
            definition = self._waiting.pop()
            if definition not in self._seen:
                self._tell_all(definition)

    # What rules tell

    def _tell_all(self, root: Node) -> None:
        rules, bound_of, operand, seen = VALUE_FLOW, BOUND, Role.OPERAND, self._seen
        bound: set[Node] = set()
        free: list[Node] = []
        order = [node for node in PROGRAM.post_order(root) if node not in seen]
        seen.update(order)
        for node in order:
            kind = type(node)
            if kind in ATOMS:
                if kind in VARIABLES:
                    free.append(node)
                elif kind in NAMES:
                    self._define(node)
                continue
            made = bound_of[kind]
            if made is not None:
                bound.update(made(node))
            if node.held_as_ is operand:
                self._told = node
                rules[kind](node, self)
        self._unknown += [variable for variable in free if variable not in bound]

    def _define(self, name: Node) -> None:
        module = self._module
        text = None if module is None else module.referred_name(name)
        if module is None or text is None or text not in module:
            self._unknown.append(name)
        else:
            self.same(name, module[text])
            self._waiting.append(module[text])

    def same(self, node: Node, other: Node) -> None:
        one, two = self._find(node), self._find(other)
        if one is not two:
            self._parent[one] = two

    def _find(self, node: Node) -> Node:
        """Return what stands for all that is the same as ``node``."""
        parent = self._parent
        root = node
        while root in parent:
            root = parent[root]
        while node is not root:
            parent[node], node = root, parent[node]
        return root

    def passes(self, source: Node, target: Node) -> None:
        self._passed.append((source, target))

    def creates(self, node: Node, parts: Mapping[Hashable, Node], *, mutable: bool = False) -> None:
        self._created[node] = parts
        if mutable:
            self._mutable.add(node)

    def creates_function(
        self, node: Node, parameters: Sequence[Node], result: Node | None, case: int = 0
    ) -> None:
        made = FunctionSite(node, tuple(parameters), result, case)
        self._functions.setdefault(node, []).append(made)

    def reads(self, container: Node, key: Hashable, target: Node) -> None:
        self._reading.append((container, key, target))

    def writes(self, container: Node, key: Hashable, source: Node) -> None:
        self._writing.append((container, key, source))
        self._stored.setdefault(self._told, []).append((container, source))

    def calls(self, call: Node, callee: Node, arguments: Sequence[Node]) -> None:
        self._calling[call] = (callee, tuple(arguments))

    def calls_by_name(self, call: Node, name: str, arguments: Sequence[Node]) -> None:
        module = self._module
        callee = module[name] if module is not None and name in module else None
        self._calling[call] = (callee, tuple(arguments))
        if callee is not None:
            self._waiting.append(callee)

    def escapes(self, node: Node) -> None:
        self._escaping.append(node)
        self._given_away.setdefault(self._told, []).append(node)

    def is_unknown(self, node: Node) -> None:
        self._unknown.append(node)

    # The least solution

    def solve(self) -> PointsTo:
        self._connect()
        new, edges, watches, add = self._new, self._edges, self._watches, self._add
        while new:
            slot, sites = new.popitem()
            for target in edges.get(slot, ()):
                add(target, sites)
            for watch in watches.get(slot, ()):
                for site in sites:
                    watch(site)
        return self._result()

    def _connect(self) -> None:
        """Let sites reach what is connected; each constraint holds from then on."""
        find = self._find
        for source, target in self._passed:
            self._edges[find(source)][find(target)] = None
        for node in self._escaping:
            self._edges[find(node)][_OUTSIDE] = None
        self._watches[_OUTSIDE].append(self._expose)
        for container, key, target in self._reading:
            self._watches[find(container)].append(self._reader(key, find(target)))
        for container, key, source in self._writing:
            self._watches[find(container)].append(self._writer(key, find(source)))
        for call, (callee, arguments) in self._calling.items():
            if callee is None:
                self._call_unknown(call, arguments)
            else:
                self._watches[find(callee)].append(self._caller(call, arguments))
        for node, parts in self._created.items():
            for key, part in parts.items():
                self._pass(find(part), self._part(node, key))
            self._add(find(node), {node})
        for node in self._functions:
            self._add(find(node), {node})
        for node in self._unknown:
            self._add(find(node), _ANYTHING)

    def _add(self, slot: _Slot, sites: Collection[Site]) -> None:
        if slot in self._crowded:
            slot = _OUTSIDE
        known = self._sets[slot]
        found = [site for site in sites if site not in known]
        if found:
            known.update(found)
            self._new[slot].update(found)
            if len(known) > MAX_SITES and slot is not _OUTSIDE:
                self._give_up(slot)

    def _give_up(self, slot: _Slot) -> None:
        """Let all that ``slot`` holds, or would come to hold, be known outside: it holds that."""
        self._crowded.add(slot)
        self._pass(slot, _OUTSIDE)
        self._sets[slot].add(UNKNOWN)
        self._new[slot].add(UNKNOWN)

    def _pass(self, source: _Slot, target: _Slot) -> None:
        """Let all that ``source`` holds, or comes to hold, reach ``target``."""
        following = self._edges[source]
        if target not in following and source is not target:
            following[target] = None
            if source in self._sets:
                self._add(target, self._sets[source])

    def _part(self, site: Node, key: Hashable) -> _Slot:
        parts = self._parts[site]
        slot = parts.get(key)
        if slot is None:
            slot = parts[key] = (site, key)
            if site in self._sets[_OUTSIDE]:
                self._expose_part(site, slot)
        return slot

    def _expose(self, site: Site) -> None:
        """Note that a thing has become known outside."""
        if site is UNKNOWN:
            return
        for slot in self._parts.get(site, {}).values():
            self._expose_part(site, slot)
        for function in self._functions.get(site, ()):
            for parameter in function.parameters:
                self._add(self._find(parameter), _ANYTHING)
            if function.result is not None:
                self._pass(self._find(function.result), _OUTSIDE)

    def _expose_part(self, site: Node, slot: _Slot) -> None:
        self._pass(slot, _OUTSIDE)
        if site in self._mutable:
            self._add(slot, _ANYTHING)

    def _reader(self, key: Hashable, target: _Slot) -> _Watch:
        def read(site: Site) -> None:
            if site is UNKNOWN:
                self._add(target, _ANYTHING)
            elif site not in self._functions:
                self._pass(self._part(site, key), target)

        return read

    def _writer(self, key: Hashable, source: _Slot) -> _Watch:
        def write(site: Site) -> None:
            if site is UNKNOWN:
                self._pass(source, _OUTSIDE)
            elif site not in self._functions:
                self._pass(source, self._part(site, key))

        return write

    def _caller(self, call: Node, arguments: Sequence[Node]) -> _Watch:
        def enter(site: Site) -> None:
            functions = () if site is UNKNOWN else self._functions.get(site, ())
            if any(len(each.parameters) != len(arguments) for each in functions):
                functions = ()
            if not functions:
                self._call_unknown(call, arguments)
                return
            self._callees[call][site] = None
            for function in functions:
                for parameter, argument in zip(function.parameters, arguments, strict=True):
                    self._pass(self._find(argument), self._find(parameter))
                if function.result is not None:
                    self._pass(self._find(function.result), self._find(call))

        return enter

    def _call_unknown(self, call: Node, arguments: Iterable[Node]) -> None:
        self._callees[call][UNKNOWN] = None
        self._add(self._find(call), _ANYTHING)
        for argument in arguments:
            self._pass(self._find(argument), _OUTSIDE)

    def _result(self) -> PointsTo:
        sets = {slot: frozenset(sites) for slot, sites in self._sets.items() if sites}
        nothing: frozenset[Site] = frozenset()
        parts = {
            site: {key: sets.get(slot, nothing) for key, slot in self._parts[site].items()}
            for site in [*self._created, *self._parts]
        }
        calls: dict[Node, Call] = {}
        for call, (_, arguments) in self._calling.items():
            found = self._callees.get(call, {})
            callees = [f for site in found if site is not UNKNOWN for f in self._functions[site]]
            calls[call] = Call(call, arguments, tuple(callees), UNKNOWN in found)
        for node in self._parent:
            self._find(node)
        escaped = frozenset([s for s in sets.get(_OUTSIDE, nothing) if s is not UNKNOWN])
        leaks = Leaks(self._given_away, self._stored)
        return PointsTo(
            sets, self._parent, parts, self._functions, calls, leaks, escaped, self._seen
        )


_ANYTHING: Final = frozenset([UNKNOWN])
