"""The data-flow pattern language: finding, rewriting and cutting out parts of programs.

Source:
    Relay ``tvm.relay.dataflow_pattern``.
"""

from relayish._support.face import imported_names as _imported_names
from relayish._support.missing import set_finder as _set_finder
from relayish.dataflow_pattern import why_not as _why_not
from relayish.dataflow_pattern.callback import DFPatternCallback, rewrite
from relayish.dataflow_pattern.explain import explain
from relayish.dataflow_pattern.explanation import Explanation, Mismatch
from relayish.dataflow_pattern.kinds import DEMANDS
from relayish.dataflow_pattern.matcher import Matcher, NodeMap, match
from relayish.dataflow_pattern.node_pattern import NodePattern
from relayish.dataflow_pattern.partition import partition
from relayish.dataflow_pattern.pattern import (
    AltPattern,
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    FunctionPattern,
    IfPattern,
    LetPattern,
    ShapePattern,
    TupleGetItemPattern,
    TuplePattern,
    TypePattern,
    VarPattern,
    WildcardPattern,
)
from relayish.dataflow_pattern.rule import Found, rule
from relayish.dataflow_pattern.shorthand import (
    alternatives,
    dominates,
    has_attr,
    has_dtype,
    has_shape,
    has_type,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_node,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    wildcard,
)
from relayish.rewriting import Rule, RuleSet, rewrite_rules

__all__ = _imported_names(__name__)

_set_finder(__name__)
