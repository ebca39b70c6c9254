"""Flattening of loops: the primitive that makes of a nest one loop, over memory without dimensions.

Before::

    for (i, 0, 8)
    {
      for (j, 0, 4)
      {
        ScheduleBlock(B)
        {
          i0, i1 = axis.bind(i, j)
          B[i0, i1] = (A[i0, i1] + C[i1])
        }
      }
    }

After::

    for (i_j_fused, 0, 32)
    {
      ScheduleBlock(B)
      {
        flat = axis.bind(i_j_fused)
        B_1[flat] = (A_1[flat] + C[flat % 4])
      }
    }
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.linear.linear_form import LinearForm, expr_of_form, linear_form
from relayish.tir.ir.operators import Expr, const, integer_of
from relayish.tir.ir.stmt import ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.schedule.expressions import tidy
from relayish.tir.schedule.handles import LoopRV
from relayish.tir.schedule.primitives.loops import Fusion, fusion
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.substitution import replace, substitute


class FlatteningSteps(Steps):
    """Methods that forget dimensions."""

    def flatten_loops(self, loops: Sequence[LoopRV], force_flat: bool = False) -> LoopRV:
        """Fuse loops into one, by whose number blocks and accesses to memory go.

        Blocks in it have one variable instead of those that only these loops tell. An access whose
        place in memory is the number of the iteration is one to a view of a single dimension. A
        program that is out of range in one dimension and in range of the whole may then not fail.

        Args:
            loops: As for :meth:`fuse`.
            force_flat: Whether all accesses to row after row of memory are to such views, whose
                sizes are numbers.

        Returns:
            The new loop.

        Raises:
            ScheduleError: As :meth:`fuse` does.

        Source:
            CINN ``IRSchedule::FlattenLoops``.
        """
        found: LoopRV = self.apply("flatten_loops", list(loops), force_flat)
        return found


@primitive("flatten_loops")
def flatten_loops(state: State, loops: Sequence[Ref], force_flat: bool = False) -> Ref:
    """Put one loop over flat memory where several are."""
    fused = fusion(state, loops)
    body = fused.stmts[-1].body
    flat = _Flattening(state, fused, force_flat)
    blocks = _outermost_blocks(loops[-1], state)
    inside = {each for block in blocks for each in PROGRAM.pre_order(block)}
    images: dict[Node, Node] = {each: flat.block(each) for each in blocks}
    images |= flat.accesses([each for each in PROGRAM.pre_order(body) if each not in inside], {})
    image = fused.loop(replace(substitute(body, images), fused.images))
    state.replace(loops[0], image)
    return state.ref(image)


def _outermost_blocks(loop: Ref, state: State) -> list[ScheduleBlockRealize]:
    """Return the blocks in a loop of which none is in another."""
    blocks = state.blocks(loop.stmt)
    refs = set(blocks)
    found = [each for each in blocks if not refs.intersection(each.ancestors())]
    return [each.stmt for each in found if isinstance(each.stmt, ScheduleBlockRealize)]


class _Flattening:
    """Makes blocks and accesses in a nest go by the number of its iteration.

    Args:
        state: What it is a part of.
        fused: The nest.
        force: Whether all accesses are to be flat.
    """

    def __init__(self, state: State, fused: Fusion, force: bool) -> None:
        self._state = state
        self._fused = fused
        self._force = force
        self._variables = {each.loop_var for each in fused.stmts}
        self._tensors: dict[Tensor, Tensor] = {}

    def block(self, realize: ScheduleBlockRealize) -> ScheduleBlockRealize:
        """Return a block with one variable for those that the nest tells."""
        block = realize.schedule_block
        pairs = list(zip(block.iter_vars, realize.iter_values, strict=True))
        told = [(var, value) for var, value in pairs if self._is_told(value)]
        if any(not var.is_reduce_axis for var, _ in told):
            told = [(var, value) for var, value in told if not var.is_reduce_axis]
        if not told:
            return realize
        fused = self._fused
        first = const(0, fused.var.type)
        flat = Var("flat", fused.var.type, first, fused.extent, told[0][0].is_reduce_axis)
        number = {fused.var: flat}
        inner = {var: replace(image, number) for var, image in fused.images.items()}
        values: dict[Node, Node] = {var: replace(value, inner) for var, value in told}
        known: dict[Node, Node] = dict(told)
        accesses = self.accesses(PROGRAM.pre_order(block.body), known, flat)
        left = [(var, value) for var, value in pairs if var not in values]
        image = block.with_fields(
            iter_vars=(flat, *[var for var, _ in left]),
            read_buffers=tuple([replace(each, values) for each in block.read_buffers]),
            write_buffers=tuple([replace(each, values) for each in block.write_buffers]),
            body=replace(substitute(block.body, accesses), values),
        )
        return realize.with_fields(
            iter_values=(fused.var, *[value for _, value in left]), schedule_block=image
        )

    def _is_told(self, value: Expr) -> bool:
        """Return whether the variables of the nest tell a value, and nothing else does."""
        found = {each for each in PROGRAM.pre_order(value) if isinstance(each, (Var, Load))}
        return bool(found) and found <= self._variables

    def accesses(
        self, nodes: Iterable[Node], values: Mapping[Node, Node], flat: Var | None = None
    ) -> dict[Node, Node]:
        """Return flat accesses for those that may be flat.

        Args:
            nodes: Accesses, and others.
            values: What variables of a block are, by those of the nest.
            flat: The number of the iteration; by default the variable of the loop.
        """
        found: dict[Node, Node] = {}
        number = self._fused.var if flat is None else flat
        for node in nodes:
            if isinstance(node, (Load, Store)) and isinstance(node.tensor, Tensor):
                index = self._index(node.tensor, node.indices, values, number)
                if index is not None:
                    tensor = self._flat_tensor(node.tensor)
                    found[node] = node.with_fields(tensor=tensor, indices=(index,))
        return found

    def _index(
        self, tensor: Tensor, indices: Sequence[Expr], values: Mapping[Node, Node], flat: Var
    ) -> Expr | None:
        """Return where in memory an element is; ``None`` where dimensions tell it."""
        steps = _steps_of(tensor)
        if steps is None or any(each.type != flat.type for each in indices):
            return None
        form: LinearForm = LinearForm(0, {})
        for index, step in zip(indices, steps, strict=True):
            form = form.plus(linear_form(replace(index, values)), step)
        number = self._number(form, flat)
        if number is not None or not self._force:
            return number
        index = const(0, flat.type)
        for each, step in zip(indices, steps, strict=True):
            index = index + each * step
        return tidy(index)

    def _number(self, form: LinearForm, flat: Var) -> Expr | None:
        """Return a linear form that is of the number of the iteration by that."""
        outer = {each: by for each, by in form.terms.items() if each not in self._variables}
        if any(self._variables.intersection(PROGRAM.pre_order(each)) for each in outer):
            return None
        counts = [integer_of(each.extent) for each in self._fused.stmts]
        inner = [each for each in counts[1:] if each is not None]
        loops = self._fused.stmts
        if len(inner) < len(loops) - 1:
            return None
        by = form.coefficient(loops[-1].loop_var)
        constant = form.constant
        for at, loop in enumerate(loops):
            low = integer_of(loop.min)
            step = by * math.prod(inner[at:])
            if low is None or form.coefficient(loop.loop_var) != step:
                return None
            constant += low * step
        if (by, constant, len(outer)) != (1, 0, 0) and not self._force:
            return None
        return expr_of_form(LinearForm(constant, {flat: by, **outer}), flat.type)

    def _flat_tensor(self, tensor: Tensor) -> Tensor:
        """Return a view of a single dimension."""
        if tensor not in self._tensors:
            size = math.prod([integer_of(each) or 0 for each in tensor.shape])
            name = self._state.fresh_name(tensor.name)
            self._tensors[tensor] = Tensor(name, (const(size),), tensor.dtype, tensor.buffer)
        return self._tensors[tensor]


def _steps_of(tensor: Tensor) -> list[int] | None:
    """Return how far elements are apart in each dimension, of memory that has row after row."""
    sizes = [integer_of(each) for each in tensor.shape]
    known = [each for each in sizes if each is not None]
    buffer = tensor.buffer
    if len(known) < len(sizes) or len(sizes) < 2 or not isinstance(buffer, Buffer):
        return None
    if buffer.strides or math.prod(known) > _MOST_ELEMENTS:
        return None
    return [math.prod(known[at + 1 :]) for at in range(len(known))]


_MOST_ELEMENTS: Final = (1 << 31) - 1
