"""Analyses: what is known about a program without changing it."""

from relayish._support.absent import missing_name
from relayish.analysis import sparse_conv2d, sparse_dense
from relayish.analysis.annotated_regions import AnnotatedRegion, AnnotatedRegionSet
from relayish.analysis.call_graph import CallGraph, CallGraphEntry
from relayish.analysis.dominators import post_dominators
from relayish.analysis.dtypes import all_dtypes
from relayish.analysis.effect_rules import EffectRule, register_effect_rule
from relayish.analysis.effects import Effect, Effects, analyse_effects, has_effect
from relayish.analysis.extract import extract_fused_functions, extract_intermediate_expr
from relayish.analysis.feature import Feature, detect_feature
from relayish.analysis.graph_normal_form import check_graph_normal_form, is_graph_normal_form
from relayish.analysis.infer_type import (
    Inference,
    infer_type,
    infer_type_local,
    register_signature,
    register_type_rule,
    register_wider_type,
)
from relayish.analysis.liveness import Liveness, analyse_liveness
from relayish.analysis.mac_count import count_layers, get_total_mac_number
from relayish.analysis.memory_plan import MemoryPlan, PlannedTensor, Storage, plan_memory
from relayish.analysis.normal_form import (
    check_a_normal_form,
    check_basic_block_normal_form,
    is_a_normal_form,
    is_basic_block_normal_form,
)
from relayish.analysis.operator_counts import (
    extract_operators,
    list_fake_quantized_op_freqs,
    list_op_freqs,
)
from relayish.analysis.post_order_visit import count_nodes, post_order_visit
from relayish.analysis.purity import Purity, is_pure, purity_of
from relayish.analysis.transposed_weights import search_fc_transpose
from relayish.analysis.type_kind import check_kind, register_kind_rule
from relayish.analysis.type_variables import all_type_vars, bound_type_vars, free_type_vars
from relayish.analysis.unmatched_cases import register_pattern_cover, unmatched_cases
from relayish.analysis.variables import all_vars, bound_vars, free_vars
from relayish.analysis.virtual_devices import recover_virtual_device_map
from relayish.analysis.well_formed import check_well_formed, well_formed
from relayish.errors import suggest
from relayish.ir.verification import register_verifier

__all__ = [
    "AnnotatedRegion",
    "AnnotatedRegionSet",
    "CallGraph",
    "CallGraphEntry",
    "Effect",
    "EffectRule",
    "Effects",
    "Feature",
    "Inference",
    "Liveness",
    "MemoryPlan",
    "PlannedTensor",
    "Purity",
    "Storage",
    "all_dtypes",
    "all_type_vars",
    "all_vars",
    "analyse_effects",
    "analyse_liveness",
    "bound_type_vars",
    "bound_vars",
    "check_a_normal_form",
    "check_basic_block_normal_form",
    "check_graph_normal_form",
    "check_kind",
    "check_well_formed",
    "count_layers",
    "count_nodes",
    "detect_feature",
    "extract_fused_functions",
    "extract_intermediate_expr",
    "extract_operators",
    "free_type_vars",
    "free_vars",
    "get_total_mac_number",
    "has_effect",
    "infer_type",
    "infer_type_local",
    "is_a_normal_form",
    "is_basic_block_normal_form",
    "is_graph_normal_form",
    "is_pure",
    "list_fake_quantized_op_freqs",
    "list_op_freqs",
    "plan_memory",
    "post_dominators",
    "post_order_visit",
    "purity_of",
    "recover_virtual_device_map",
    "register_effect_rule",
    "register_kind_rule",
    "register_pattern_cover",
    "register_signature",
    "register_type_rule",
    "register_verifier",
    "register_wider_type",
    "search_fc_transpose",
    "sparse_conv2d",
    "sparse_dense",
    "unmatched_cases",
    "well_formed",
]


def __getattr__(name: str) -> object:
    """Find what Relay spells otherwise, and people type only if they have it from there."""
    if name == "extract_intermdeiate_expr":
        return extract_intermediate_expr
    near = suggest(name, __all__)
    raise missing_name(__name__, name, f"module {__name__!r} has no attribute {name!r}{near}")
