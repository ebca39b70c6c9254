"""Use-def chains: which definitions a use may take its value from, and which uses take one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from relayish.dataflow.analyses.reaching_definitions import Definitions, ReachingDefinitions
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.lattice import PersistentSet
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.solve import solve
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node


def find_use_def_chains(program: Node | Module[Any] | FlowGraph) -> UseDefChains:
    """Return the use-def and def-use chains of a program; solves reaching definitions.

    Example:
        >>> from relayish import tir
        >>> x, out = tir.Var("x"), tir.Var("out")
        >>> define, use = tir.Store(x, 1), tir.Store(out, x + x)
        >>> chains = find_use_def_chains(tir.Block((define, use)))
        >>> [at_define], [at_use] = map(chains.graph.occurrences, (define, use))
        >>> chains.definitions(at_use, x) == (at_define,), chains.uses(at_define, x) == (at_use,)
        (True, True)
        >>> chains.uses(at_use, out)
        ()
    """
    [solution] = solve([ReachingDefinitions()], program)
    return UseDefChains(solution)


class UseDefChains:
    """Use-def and def-use chains: links between points, for each variable.

    Points go by their numbers in the graph.

    Args:
        solution: Of :class:`ReachingDefinitions`.
    """

    def __init__(self, solution: Solution[Definitions]) -> None:
        self._solution = solution
        self.graph = solution.graph

    def used_at(self, point: int) -> tuple[Node, ...]:
        """Return the variables and places that a point takes values from, in order."""
        accessed = self.graph.accesses.at(point)
        return tuple(dict.fromkeys((*accessed.uses, *accessed.reads)))

    def definitions(self, point: int, variable: Node) -> tuple[int, ...]:
        """Return the points that may have given a variable the value it has before ``point``.

        The entry of the procedure is among them where it may have had it there already; there are
        none of what is never reached.

        Complexity:
            As many as there are, times a logarithm.
        """
        found = self._solution.before(point).get(variable)
        return tuple(sorted(found)) if isinstance(found, PersistentSet) else ()

    def uses(self, point: int, variable: Node) -> tuple[int, ...]:
        """Return the points that may use the value which ``variable`` got at ``point``.

        Complexity:
            Constant, after an index was made in time linear in all chains.
        """
        return self._uses.get((point, variable), ())

    @cached_property
    def _uses(self) -> Mapping[tuple[int, Node], tuple[int, ...]]:
        found: dict[tuple[int, Node], list[int]] = {}
        for point in range(len(self.graph)):
            for variable in self.used_at(point):
                for definition in self.definitions(point, variable):
                    found.setdefault((definition, variable), []).append(point)
        return {key: tuple(points) for key, points in found.items()}
