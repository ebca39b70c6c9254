"""Analyses of loops without running them: bounds, linear forms, proofs, dependences.

``interval_of(expr, context)`` bounds an expression, ``linear_form`` takes it apart, ``can_prove``
decides a condition. ``statements_with_contexts(func)`` walks a program with what is known at each
statement: :class:`Context` is persistent, so what holds in a loop or branch cannot leave it.
``dependences(stmt)`` tells which accesses touch one element, ``is_parallel(loop)`` whether a loop
carries any.
"""

from relayish._support.face import imported_names as _imported_names
from relayish.dataflow.lattice.interval import Interval
from relayish.tir.analysis.dependence.accesses import Access, Accesses, collect_accesses
from relayish.tir.analysis.dependence.dependence import Dependence, DependenceKind
from relayish.tir.analysis.dependence.dependences import (
    dependences,
    is_parallel,
    loop_carried,
    parallel_loops,
)
from relayish.tir.analysis.dependence.iteration_pairs import Direction
from relayish.tir.analysis.facts.faults import FAULTS
from relayish.tir.analysis.facts.prove import can_prove
from relayish.tir.analysis.facts.scopes import (
    assigned_variables,
    assume,
    bind,
    children_with_contexts,
    context_of,
    enter_block,
    enter_loop,
    statements_with_contexts,
)
from relayish.tir.analysis.facts.symbolic_bounds import SymbolicBounds, symbolic_bounds
from relayish.tir.analysis.flow.constants import ScalarConstants
from relayish.tir.analysis.flow.environments import Environment, Environments
from relayish.tir.analysis.flow.index_intervals import IndexIntervals
from relayish.tir.analysis.linear.bounds import float_interval_of, interval_of
from relayish.tir.analysis.linear.linear_form import (
    LinearForm,
    exact_form,
    expr_of_form,
    interval_of_form,
    linear_form,
)
from relayish.tir.analysis.regions.out_of_bounds import OutOfBounds, find_out_of_bounds
from relayish.tir.analysis.values.constant_rules import EVALUATIONS
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import FloatInterval
from relayish.tir.analysis.values.interval_rules import INTERVAL_RULES, IntervalRule
from relayish.tir.analysis.work.count import Count
from relayish.tir.analysis.work.count_work import count_work
from relayish.tir.analysis.work.work import AccessWork, Footprint, LoopWork, Operations, Work

__all__ = _imported_names(__name__)
