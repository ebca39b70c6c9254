"""Flow graphs: program points, edges, procedures, built from the roles of kinds."""

from relayish._support.face import imported_names as _imported_names
from relayish.dataflow.graph.build import build_flow_graph
from relayish.dataflow.graph.control_flow import (
    CONTROL_FLOW,
    Condition,
    ControlFlow,
    TestedLoop,
    condition_of,
)
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Action, Branch, Edge, Point, Procedure

__all__ = _imported_names(__name__)
