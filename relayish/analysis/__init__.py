"""What can be known about a program without changing it."""

from relayish.analysis.call_graph import CallGraph, CallGraphEntry
from relayish.analysis.effects import Effect, Effects, analyse_effects, has_effect
from relayish.analysis.infer_type import infer_type, infer_type_local
from relayish.analysis.kind import check_kind
from relayish.analysis.type_variables import all_type_vars, bound_type_vars, free_type_vars
from relayish.analysis.unmatched_cases import unmatched_cases
from relayish.analysis.variables import all_vars, bound_vars, free_vars
from relayish.analysis.visit import count_nodes, post_order_visit
from relayish.analysis.well_formed import check_well_formed, well_formed

__all__ = [
    "CallGraph",
    "CallGraphEntry",
    "Effect",
    "Effects",
    "all_type_vars",
    "all_vars",
    "analyse_effects",
    "bound_type_vars",
    "bound_vars",
    "check_kind",
    "check_well_formed",
    "count_nodes",
    "free_type_vars",
    "free_vars",
    "has_effect",
    "infer_type",
    "infer_type_local",
    "post_order_visit",
    "unmatched_cases",
    "well_formed",
]
