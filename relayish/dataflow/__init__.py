"""Data-flow analysis: lattices, program points, a solver, functors as transfers."""

import relayish.dataflow.relay.control_flow
import relayish.dataflow.relay.mod_ref
import relayish.dataflow.relay.value_flow  # noqa: F401 - registers what values are made of
from relayish._support.missing import set_finder
from relayish.dataflow.analyses.value_numbers import EXPRESSION_KEYS
from relayish.dataflow.annotated import annotated_text
from relayish.dataflow.direction import Direction
from relayish.dataflow.fixpoint import FixpointFunctor
from relayish.dataflow.functor import BackwardDataFlow, ForwardDataFlow
from relayish.dataflow.graph.build import build_flow_graph
from relayish.dataflow.graph.control_flow import CONTROL_FLOW, Condition, ControlFlow, TestedLoop
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.mod_ref import (
    BOUND_VARIABLES,
    MOD_REF,
    UNALIASED,
    BoundVariables,
    KindModRef,
    ModRef,
    mod_ref_of,
)
from relayish.dataflow.graph.point import Action, Branch, Edge, Point, Procedure
from relayish.dataflow.lattice import (
    BOTTOM,
    TOP,
    UNIVERSE,
    UNREACHABLE,
    Booleans,
    CofiniteSet,
    Congruence,
    Congruences,
    Flat,
    Interval,
    Intervals,
    IsLattice,
    Lattice,
    Lift,
    MapLattice,
    MustBooleans,
    MustPowerset,
    PersistentMap,
    PersistentSet,
    Powerset,
    Product,
    Sign,
    Signs,
    check_laws,
    congruent,
)
from relayish.dataflow.occurrence import Occurrence
from relayish.dataflow.points_to.find import find_points_to
from relayish.dataflow.points_to.result import UNKNOWN, PointsTo
from relayish.dataflow.points_to.rules import VALUE_FLOW, ValueFlow
from relayish.dataflow.recording import BeforeAfter, MemorizingPolicy, RecordingFunctor, by_node
from relayish.dataflow.registry import (
    AnalysisEntry,
    AnalysisRegistry,
    analysis_entry,
    get_analysis,
    list_analyses,
    parse_analyses,
    register_analysis,
)
from relayish.dataflow.results import analyse, flow_graph, forget_results
from relayish.dataflow.solver.analysis import Analysis
from relayish.dataflow.solver.calls import Callee, CallSite, CallSites
from relayish.dataflow.solver.executable import Executable, ExecutableSolution
from relayish.dataflow.solver.propagate import propagate
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.solve import solve
from relayish.dataflow.solver.sparse import SparseAnalysis, SparseSolution
from relayish.dataflow.solver.transfer_rules import REFINEMENTS, TRANSFERS
from relayish.functor.memoized import Memoized

# the names of TVM's data-flow RFC (#4468)
ffdfa = ForwardDataFlow
bfdfa = BackwardDataFlow

__all__ = [
    "BOTTOM",
    "BOUND_VARIABLES",
    "CONTROL_FLOW",
    "EXPRESSION_KEYS",
    "MOD_REF",
    "REFINEMENTS",
    "TOP",
    "TRANSFERS",
    "UNALIASED",
    "UNIVERSE",
    "UNKNOWN",
    "UNREACHABLE",
    "VALUE_FLOW",
    "Action",
    "Analysis",
    "AnalysisEntry",
    "AnalysisRegistry",
    "BackwardDataFlow",
    "BeforeAfter",
    "Booleans",
    "BoundVariables",
    "Branch",
    "CallSite",
    "CallSites",
    "Callee",
    "CofiniteSet",
    "Condition",
    "Congruence",
    "Congruences",
    "ControlFlow",
    "Direction",
    "Edge",
    "Executable",
    "ExecutableSolution",
    "FixpointFunctor",
    "Flat",
    "FlowGraph",
    "ForwardDataFlow",
    "Interval",
    "Intervals",
    "IsLattice",
    "KindModRef",
    "Lattice",
    "Lift",
    "MapLattice",
    "Memoized",
    "MemorizingPolicy",
    "ModRef",
    "MustBooleans",
    "MustPowerset",
    "Occurrence",
    "PersistentMap",
    "PersistentSet",
    "Point",
    "PointsTo",
    "Powerset",
    "Procedure",
    "Product",
    "RecordingFunctor",
    "Sign",
    "Signs",
    "Solution",
    "SparseAnalysis",
    "SparseSolution",
    "TestedLoop",
    "ValueFlow",
    "analyse",
    "analysis_entry",
    "annotated_text",
    "bfdfa",
    "build_flow_graph",
    "by_node",
    "check_laws",
    "congruent",
    "ffdfa",
    "find_points_to",
    "flow_graph",
    "forget_results",
    "get_analysis",
    "list_analyses",
    "mod_ref_of",
    "parse_analyses",
    "propagate",
    "register_analysis",
    "solve",
]

set_finder(__name__)
