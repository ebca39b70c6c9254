"""Analyses: what is known about a program without changing it.

Every name is loaded from the module it lives in when it is first asked for.
"""

from __future__ import annotations

from typing import Final

from relayish._support.lazy_face import set_face

_FACE: Final[dict[str, tuple[str, ...]]] = {
    "relayish.analysis": ("sparse_conv2d", "sparse_dense"),
    "relayish.analysis.annotated_regions": ("AnnotatedRegion", "AnnotatedRegionSet"),
    "relayish.analysis.call_graph": ("CallGraph", "CallGraphEntry"),
    "relayish.analysis.dominators": ("PostDominators", "post_dominators"),
    "relayish.analysis.dtypes": ("all_dtypes",),
    "relayish.analysis.effect_rules": ("EffectRule", "EFFECT_RULES"),
    "relayish.analysis.effects": ("Effect", "Effects", "analyse_effects", "has_effect"),
    "relayish.analysis.extract": ("extract_fused_functions", "extract_intermediate_expr"),
    "relayish.analysis.feature": ("Feature", "detect_feature"),
    "relayish.analysis.graph_normal_form": ("check_graph_normal_form", "is_graph_normal_form"),
    "relayish.analysis.infer_type": (
        "Inference",
        "infer_type",
        "infer_type_local",
        "SIGNATURES",
        "PATTERN_TYPE_RULES",
        "TYPE_RULES",
        "WIDER_TYPES",
    ),
    "relayish.analysis.liveness": ("Liveness", "analyse_liveness"),
    "relayish.analysis.mac_count": ("count_layers", "get_total_mac_number"),
    "relayish.analysis.memory_plan": ("MemoryPlan", "PlannedTensor", "Storage", "plan_memory"),
    "relayish.analysis.normal_form": (
        "check_a_normal_form",
        "check_basic_block_normal_form",
        "is_a_normal_form",
        "is_basic_block_normal_form",
    ),
    "relayish.analysis.operator_counts": (
        "extract_operators",
        "list_fake_quantized_op_freqs",
        "list_op_freqs",
    ),
    "relayish.analysis.post_order_visit": ("count_nodes", "post_order_visit"),
    "relayish.analysis.purity": ("Purity", "is_pure", "purity_of"),
    "relayish.analysis.transposed_weights": ("search_fc_transpose",),
    "relayish.analysis.type_kind": ("check_kind", "KIND_RULES"),
    "relayish.analysis.type_variables": ("all_type_vars", "bound_type_vars", "free_type_vars"),
    "relayish.analysis.unmatched_cases": ("PATTERN_COVERS", "unmatched_cases"),
    "relayish.analysis.variables": ("all_vars", "bound_vars", "free_vars"),
    "relayish.analysis.virtual_devices": ("recover_virtual_device_map",),
    "relayish.analysis.well_formed": ("check_well_formed", "well_formed"),
    "relayish.ir.verification.rules": ("DEFINITION_RULES", "RaisingVerifier"),
}
"""By module: the names that are found here."""

_OTHERWISE: Final = {"extract_intermdeiate_expr": "extract_intermediate_expr"}
"""Names that Relay spells otherwise: people type these only if they have them from there."""

__all__ = set_face(__name__, _FACE, _OTHERWISE)  # noqa: PLE0605 - a tuple of names
