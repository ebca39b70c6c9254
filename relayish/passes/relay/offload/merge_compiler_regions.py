"""Let one compiler compute together what it computes of a program.

Before::

    %1 = compiler_end(nn.conv2d(compiler_begin(%x), compiler_begin(%w)));
    compiler_end(nn.relu(compiler_begin(%1)))

After::

    compiler_end(nn.relu(nn.conv2d(compiler_begin(%x), compiler_begin(%w))))
"""

from __future__ import annotations

from collections import Counter

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import register_pass
from relayish.passes.relay.offload.annotations import is_begin, is_end
from relayish.passes.relay.offload.contraction import Contraction
from relayish.passes.relay.offload.region_graph import RegionGraph
from relayish.passes.relay.offload.regions import Region, Regions
from relayish.passes.relay.offload.scope_marks import mark_between_scopes


class _Unmarker(ExprRewriter):
    """Drops the marks between what was merged."""

    def __init__(self, regions: Regions) -> None:
        self._regions = regions

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Return what left and entered again where it does so in one region."""
        if not is_begin(pre) or not is_end(pre.args[0]):
            return post
        region = self._regions.of(pre)
        if region is None or self._regions.of(pre.args[0]) is not region:
            return post
        mark = post.args[0]
        assert type(mark) is Call
        return mark.args[0]


def merge_regions(regions: Regions) -> Contraction:
    """Merge regions where a value goes from one to another of the same compiler.

    Regions stay apart if merging them made one that depends on itself, or if they belong to
    different scopes; also if what they take acts and others need the first of them, where both
    would then be computed.
    """
    graph, evaluation = RegionGraph(regions), EvaluationOrder()
    dependent = {
        r for r in regions.regions if evaluation.order_dependent([m.args[0] for m in r.begins])
    }
    uses = Counter(child for node in regions.order for child in EXPRESSIONS.children(node))
    vertex_of, contraction, closures = graph.vertex_of, graph.contraction, graph.closures()
    for vertex in contraction.order:
        region = regions.of(graph.nodes[vertex][0])
        if region is None:
            continue
        for mark in tuple(region.begins):
            (value,) = mark.args
            source, target = regions.of(value), regions.of(mark)
            if (
                source is None
                or target is None
                or not is_end(value)
                or not _may_merge(source, target)
            ):
                continue
            depends_on_order = source in dependent or target in dependent
            if depends_on_order and not (len(source.ends) == 1 and uses[value] == 1):
                continue  # it would be taken where others need the source, before its turn
            before = vertex_of[value]
            if closures[before] == closures[vertex] and contraction.merge(before, vertex):
                regions.merge(source, target)
                if depends_on_order:
                    dependent.add(target)
    return contraction


def _may_merge(one: Region, other: Region) -> bool:
    return one is not other and one.target == other.target and one.scope == other.scope


@register_pass("MergeCompilerRegions", opt_level=0)
def merge_compiler_regions(expr: Expr) -> Expr:
    """Region merging: let one compiler compute together what it computes of a program.

    Return ``expr`` with regions of one compiler merged where values go from one to the other.

    Regions are what marks of ``AnnotateTarget`` enclose, in one scope: what goes from one into
    another without marks is marked. They are merged in the order in which they are computed, unless
    one also goes into the other by way of something else: together they would have to be computed
    before and after it.

    Returns:
        ``expr`` itself when there is nothing to merge.

    Raises:
        PassError: If marks do not enclose regions.

    Complexity:
        ``n log n`` in distinct nodes and edges, beside the searches for other ways from one region
        into another, each of which looks at no more than a constant number of nodes; no recursion.

    Source:
        Relay ``MergeCompilerRegions``. There, other ways by what has no marks are not seen, and
        what branches compute is merged with what both of them use, to be computed whichever is
        taken.
    """
    expr = mark_between_scopes(expr)
    regions = Regions(expr)
    if not regions.regions:
        return expr
    merge_regions(regions)
    return post_order_rewrite(expr, _Unmarker(regions))
