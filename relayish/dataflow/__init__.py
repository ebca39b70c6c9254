"""Data-flow analysis: lattices, program points, a solver, functors as transfers."""

import relayish.dataflow.relay.control_flow
import relayish.dataflow.relay.mod_ref
import relayish.dataflow.relay.value_flow
from relayish._support.face import imported_names as _imported_names
from relayish._support.missing import set_finder as _set_finder
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

__all__ = _imported_names(__name__)

_set_finder(__name__)
