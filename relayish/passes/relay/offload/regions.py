"""Regions: the parts of a program between marks, each to be computed by one compiler.

A region is what hangs together without a mark between: values enter it at ``compiler_begin`` and
leave it at ``compiler_end``. It is made of calls, tuples, projections and constants; one of the
default may create, read and write references, too.
"""

from __future__ import annotations

from typing import Final

from relayish.errors import PassError
from relayish.ir.kinds.one_line import describe, quote
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.relay import expr as relay
from relayish.ir.relay.function_attributes import is_transparent
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.scopes.scoping import operands
from relayish.op.declaration.target import DEFAULT
from relayish.passes.relay.offload.annotations import compiler_of, is_begin, is_end

_OF_REFERENCES: Final[frozenset[type[Node]]] = frozenset(
    {relay.RefCreate, relay.RefRead, relay.RefWrite}
)


def is_named(node: Node) -> bool:
    """Return whether a region may refer to ``node`` without its having to enter."""
    kind = type(node)
    return kind is relay.Function or (kind in ATOMS and kind not in VARIABLES)


class Region:
    """What one compiler computes.

    Attributes:
        number: Regions of an expression are numbered as they are left first.
        target: The compiler.
        begins: The marks where values enter, in the order they are come upon.
        ends: The marks where values leave.
        scope: The scope its nodes belong to.
    """

    __slots__ = ("begins", "ends", "number", "scope", "target")

    def __init__(self, target: str, scope: int) -> None:
        self.number = 0
        self.target = target
        self.begins: list[relay.Call] = []
        self.ends: list[relay.Call] = []
        self.scope = scope


class Regions:
    """The regions of an expression.

    ``of`` gives the region a node belongs to; marks belong to the region they are at. ``order``
    holds the distinct nodes of the expression, children first.

    Raises:
        PassError: If a region is not closed by marks, has marks of several compilers, spans several
            scopes, contains anything but calls, tuples, projections and constants, or is inside a
            primitive function.

    Complexity:
        Linear in distinct nodes and edges, but for the logarithm of the depth where a node is used
        in several scopes; no recursion.
    """

    def __init__(self, root: relay.Expr) -> None:
        self.order = EXPRESSIONS.post_order(root)
        self._region: dict[Node, Region] = {}
        self._merged: dict[Region, Region] = {}
        if not any(map(is_end, self.order)):
            self.regions: list[Region] = []
            return
        scopes = Scopes(root, enter=is_transparent).scope
        for node in reversed(self.order):  # what uses a node comes before it
            if is_end(node):
                self._leave(node, scopes)
            elif node in self._region and not is_begin(node):
                self._enter(node, scopes)
        self.regions = self._number()

    def of(self, node: Node) -> Region | None:
        """Return the region ``node`` belongs to; nearly constant time."""
        region = self._region.get(node)
        return None if region is None else self._root(region)

    def _root(self, region: Region) -> Region:
        merged = self._merged
        root = region
        while root in merged:
            root = merged[root]
        while region is not root:
            merged[region], region = root, merged[region]
        return root

    def _leave(self, mark: relay.Call, scopes: dict[Node, int]) -> None:
        (value,) = mark.args
        if mark not in scopes:
            raise PassError(
                f"compiler_end for {compiler_of(mark)!r} is inside a primitive function, which is "
                f"one piece already; run FuseOps after PartitionGraph"
            )
        if is_begin(value) or is_end(value):
            raise PassError(f"compiler_end for {compiler_of(mark)!r} ends nothing: {quote(value)}")
        region = self.of(value)
        if region is None:
            region = Region(compiler_of(mark), scopes.get(value, scopes[mark]))
        self._join(value, region, scopes)
        if compiler_of(mark) != region.target:
            raise _make_mixed_error(region.target, compiler_of(mark))
        region = self._root(region)
        self._region[mark] = region

    def _enter(self, node: Node, scopes: dict[Node, int]) -> None:
        """Put what ``node`` takes into its region, as far as it does not enter there."""
        region = self.of(node)
        assert region is not None
        if is_named(node):
            return
        is_default, kind = region.target == DEFAULT, type(node)
        is_known = (
            kind in (relay.Tuple, relay.TupleGetItem)
            or (type(node) is relay.Call and (is_default or is_named(node.op)))
            or (is_default and kind in _OF_REFERENCES)
        )
        if not is_known:
            raise PassError(
                f"{describe(node)} stands between marks of {region.target!r}; expected calls of "
                f"what is known, tuples and projections; let what they take enter by "
                f"compiler_begin"
            )
        for child in node.args if type(node) is relay.Call else operands(node):
            if is_named(child):
                continue
            if is_end(child):
                raise PassError(
                    f"what leaves {compiler_of(child)!r} is used by {region.target!r} directly; "
                    f"let it enter by compiler_begin"
                )
            if is_begin(child) and compiler_of(child) != region.target:
                raise _make_mixed_error(region.target, compiler_of(child))
            self._join(child, region, scopes)
            region = self._root(region)

    def _join(self, node: Node, region: Region, scopes: dict[Node, int]) -> None:
        region = self._root(region)
        held = self.of(node)
        if held is region:
            return
        if not is_begin(node) and scopes.get(node, region.scope) != region.scope:
            raise PassError(
                f"what {region.target!r} computes is spread over several scopes, by way of "
                f"{quote(node)}; let it leave and enter by marks"
            )
        if held is None:
            self._region[node] = region
        elif held.target != region.target:
            raise _make_mixed_error(region.target, held.target)
        elif not is_begin(node) or held.scope == region.scope:
            self._merged[held] = region
        else:
            raise PassError(
                f"one compiler_begin of {region.target!r} serves several scopes; make one for each"
            )

    def merge(self, one: Region, other: Region) -> None:
        """Make ``one`` a part of ``other``; its marks go there when the smaller list is moved."""
        self._merged[one] = other
        if len(one.begins) > len(other.begins):
            one.begins, other.begins = other.begins, one.begins
        if len(one.ends) > len(other.ends):
            one.ends, other.ends = other.ends, one.ends
        other.begins += one.begins
        other.ends += one.ends

    def _number(self) -> list[Region]:
        found: dict[Region, None] = {}
        for node in self.order:
            region = self.of(node)
            if region is None:
                continue
            if is_end(node):
                region.ends.append(node)
                found.setdefault(region)
            elif is_begin(node):
                region.begins.append(node)
        for number, region in enumerate(found):
            region.number = number
        return list(found)


def _make_mixed_error(one: str, other: str) -> PassError:
    return PassError(
        f"marks of {one!r} and of {other!r} are at the same piece of program; expected those of "
        f"one compiler: each value that goes from one to the other is to leave and to enter"
    )
