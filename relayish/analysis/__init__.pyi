from relayish.analysis import sparse_conv2d as sparse_conv2d
from relayish.analysis import sparse_dense as sparse_dense
from relayish.analysis.annotated_regions import AnnotatedRegion as AnnotatedRegion
from relayish.analysis.annotated_regions import AnnotatedRegionSet as AnnotatedRegionSet
from relayish.analysis.call_graph import CallGraph as CallGraph
from relayish.analysis.call_graph import CallGraphEntry as CallGraphEntry
from relayish.analysis.dominators import PostDominators as PostDominators
from relayish.analysis.dominators import post_dominators as post_dominators
from relayish.analysis.dtypes import all_dtypes as all_dtypes
from relayish.analysis.effect_rules import EFFECT_RULES as EFFECT_RULES
from relayish.analysis.effect_rules import EffectRule as EffectRule
from relayish.analysis.effects import Effect as Effect
from relayish.analysis.effects import Effects as Effects
from relayish.analysis.effects import analyse_effects as analyse_effects
from relayish.analysis.effects import has_effect as has_effect
from relayish.analysis.extract import extract_fused_functions as extract_fused_functions
from relayish.analysis.extract import extract_intermediate_expr as extract_intermediate_expr
from relayish.analysis.feature import Feature as Feature
from relayish.analysis.feature import detect_feature as detect_feature
from relayish.analysis.graph_normal_form import check_graph_normal_form as check_graph_normal_form
from relayish.analysis.graph_normal_form import is_graph_normal_form as is_graph_normal_form
from relayish.analysis.infer_type import PATTERN_TYPE_RULES as PATTERN_TYPE_RULES
from relayish.analysis.infer_type import SIGNATURES as SIGNATURES
from relayish.analysis.infer_type import TYPE_RULES as TYPE_RULES
from relayish.analysis.infer_type import WIDER_TYPES as WIDER_TYPES
from relayish.analysis.infer_type import Inference as Inference
from relayish.analysis.infer_type import infer_type as infer_type
from relayish.analysis.infer_type import infer_type_local as infer_type_local
from relayish.analysis.liveness import Liveness as Liveness
from relayish.analysis.liveness import analyse_liveness as analyse_liveness
from relayish.analysis.mac_count import count_layers as count_layers
from relayish.analysis.mac_count import get_total_mac_number as get_total_mac_number
from relayish.analysis.memory_plan import MemoryPlan as MemoryPlan
from relayish.analysis.memory_plan import PlannedTensor as PlannedTensor
from relayish.analysis.memory_plan import Storage as Storage
from relayish.analysis.memory_plan import plan_memory as plan_memory
from relayish.analysis.normal_form import check_a_normal_form as check_a_normal_form
from relayish.analysis.normal_form import (
    check_basic_block_normal_form as check_basic_block_normal_form,
)
from relayish.analysis.normal_form import is_a_normal_form as is_a_normal_form
from relayish.analysis.normal_form import is_basic_block_normal_form as is_basic_block_normal_form
from relayish.analysis.operator_counts import extract_operators as extract_operators
from relayish.analysis.operator_counts import (
    list_fake_quantized_op_freqs as list_fake_quantized_op_freqs,
)
from relayish.analysis.operator_counts import list_op_freqs as list_op_freqs
from relayish.analysis.post_order_visit import count_nodes as count_nodes
from relayish.analysis.post_order_visit import post_order_visit as post_order_visit
from relayish.analysis.purity import Purity as Purity
from relayish.analysis.purity import is_pure as is_pure
from relayish.analysis.purity import purity_of as purity_of
from relayish.analysis.transposed_weights import search_fc_transpose as search_fc_transpose
from relayish.analysis.type_kind import KIND_RULES as KIND_RULES
from relayish.analysis.type_kind import check_kind as check_kind
from relayish.analysis.type_variables import all_type_vars as all_type_vars
from relayish.analysis.type_variables import bound_type_vars as bound_type_vars
from relayish.analysis.type_variables import free_type_vars as free_type_vars
from relayish.analysis.unmatched_cases import PATTERN_COVERS as PATTERN_COVERS
from relayish.analysis.unmatched_cases import unmatched_cases as unmatched_cases
from relayish.analysis.variables import all_vars as all_vars
from relayish.analysis.variables import bound_vars as bound_vars
from relayish.analysis.variables import free_vars as free_vars
from relayish.analysis.virtual_devices import (
    recover_virtual_device_map as recover_virtual_device_map,
)
from relayish.analysis.well_formed import check_well_formed as check_well_formed
from relayish.analysis.well_formed import well_formed as well_formed
from relayish.ir.verification.rules import DEFINITION_RULES as DEFINITION_RULES
from relayish.ir.verification.rules import RaisingVerifier as RaisingVerifier
