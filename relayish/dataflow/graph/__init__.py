"""Flow graphs: program points, edges, procedures, built from the roles of kinds."""

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

__all__ = [
    "CONTROL_FLOW",
    "Action",
    "Branch",
    "Condition",
    "ControlFlow",
    "Edge",
    "FlowGraph",
    "Point",
    "Procedure",
    "TestedLoop",
    "build_flow_graph",
    "condition_of",
]
