"""Transpose sinking: move transpositions down until they cancel out.

Before::

    let %a = Transpose_13(%x, perm=[0, 2, 3, 1]);
    let %b = Relu_14(%a);
    let %c = Mul_14(%b, %scale);
    let %y = Transpose_13(%c, perm=[0, 3, 1, 2]);

After::

    let %b_1 = Relu_14(%x);
    let %c_1 = Mul_14(%b_1, %constant);
"""

from __future__ import annotations

from typing import Final

from relayish._support.graph import post_order
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import count_outputs, inputs_of, make_call
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.transposed_calls import Moved, Operands, Permutation, move_transpose
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule

_LIMIT: Final = 512
"""How many values one look ahead is concerned with at most."""


@register_pass("PushTranspose", opt_level=2, idempotent=True)
def push_transpose(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Transpose sinking: move transpositions down until they cancel out.

    A ``Transpose`` moves through operators of elements (other operands are constants, numbers, or
    transposed alike), ``Concat``, reductions, ``Pad``, ``Softmax``, ``Squeeze``, ``Unsqueeze`` and
    products with matrices, and into ``Gemm``; only where the number of operators falls by that,
    which is found out first. Values stay the same, but for the order in which floats are summed.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where no operator would be saved.

    Complexity:
        Linear in the nodes, times the number of transpositions that are concerned with the same.
    """
    while True:
        image = rewrite_function(func, RULES, mod)
        if image is func or type(image) is not Function:
            return image
        func = image  # each round leaves fewer nodes, and may have made others possible


@rule("Transpose")
def sink_transpose(call: Call, graph: Rewriter) -> None:
    """Rewrite what a transposition moves through, if operators are saved by that."""
    region = _Region(graph)
    if region.begin(graph.current, call):
        region.grow()
        region.prune()
        if region.count_saved() > 0 and not region.begins_within():
            region.apply()


class _Region:
    """Values that are transposed from others, which are to be computed in their place.

    Attributes:
        perms: How each value is transposed from what takes its place; in order of discovery.
        moved: The calls that compute these; none of where a transposition begins.
        sources: The operands of each value, of those in the region.
        users: The values that use each.
    """

    def __init__(self, graph: Rewriter) -> None:
        self._graph = graph
        self.perms: dict[Var, Permutation] = {}
        self.moved: dict[Var, Moved | None] = {}
        self.sources: dict[Var, tuple[Var, ...]] = {}
        self.users: dict[Var, dict[Var, None]] = {}
        self._pending: list[Var] = []

    # finding

    def begin(self, var: Var, transpose: Call) -> bool:
        """Add a transposition; return whether it is one of known order that moves something."""
        perm = self._perm_of(transpose)
        if perm is None or _is_identity(perm):
            return False
        self._add(var, perm, None, ())
        return True

    def _perm_of(self, transpose: Call) -> Permutation | None:
        perm = self._graph.attribute(transpose, "perm")
        if perm is not None:
            return tuple(perm)
        rank = self._graph.rank_of(inputs_of(transpose)[0])
        return None if rank is None else tuple(range(rank))[::-1]

    def _add(
        self, var: Var, perm: Permutation, moved: Moved | None, sources: tuple[Var, ...]
    ) -> None:
        self.perms[var], self.moved[var], self.sources[var] = perm, moved, sources
        self.users[var] = {}
        for each in sources:
            self.users[each][var] = None
        if not _is_identity(perm):
            self._pending.append(var)

    def grow(self) -> None:
        """Add what transpositions can move through."""
        while self._pending:
            value = self._pending.pop()
            for var, user in self._graph.uses_of(value):
                if len(self.perms) >= _LIMIT:
                    return
                if type(user) is Call and var is not None and var not in self.perms:
                    self._consider(value, var, user)

    def _consider(self, value: Var, var: Var, user: Call) -> None:
        graph = self._graph
        if graph.operator(user) is None or graph.is_open(user) or count_outputs(user.attrs) != 1:
            return
        perm = self.perms[value]
        if graph.operator(user) == "Transpose":
            outer = self._perm_of(user)
            if outer is not None:
                moved = Moved(tuple([perm[axis] for axis in outer]), (value,), frozenset([0]), {})
                self._add(var, moved.perm, moved, (value,))
            return
        given = Operands(user, value, perm, lambda expr: self._is_alike(expr, perm), graph)
        found = move_transpose(given)
        if found is not None:
            inputs = inputs_of(user)
            sources = dict.fromkeys([inputs[place] for place in found.places])
            self._add(var, found.perm, found, tuple([e for e in sources if type(e) is Var]))

    def _is_alike(self, expr: Expr, perm: Permutation) -> bool:
        """Return whether an operand is transposed by ``perm``; add it if it is a transposition."""
        if type(expr) is not Var:
            return False
        if expr not in self.perms:
            call = self._graph.bound_to(expr)
            if self._graph.operator(call or expr) != "Transpose" or type(call) is not Call:
                return False
            if self._graph.is_open(call) or self._perm_of(call) != perm:
                return False
            if inputs_of(call)[0] in self.perms:
                return False  # it is yet to be found, as what uses a value of the region
            self._add(expr, perm, None, ())
        return self.perms[expr] == perm

    # counting

    def _is_kept(self, var: Var) -> bool:
        """Return whether a value is still needed, and has to be transposed then."""
        if _is_identity(self.perms[var]):
            return False
        return len(self._graph.uses_of(var)) > len(self.users[var])

    def _is_transpose(self, var: Var) -> bool:
        return self._graph.operator(self._graph.bound_to(var) or var) == "Transpose"

    def prune(self) -> None:
        """Leave out what saves nothing, beginning with what no other value depends on."""
        pending = list(self.perms)
        while pending:
            var = pending.pop()
            if var not in self.perms or self.moved[var] is None or self.users[var]:
                continue
            growth = int(self._is_transpose(var)) - int(self._is_kept(var))
            growth += sum(
                not self._is_kept(each) and not _is_identity(self.perms[each])
                for each in self.sources[var]
            )
            if growth <= 0:
                pending += self._remove(var)

    def _remove(self, var: Var) -> tuple[Var, ...]:
        """Leave out a value; return what else may be left out now."""
        sources = self.sources.pop(var)
        del self.perms[var], self.moved[var], self.users[var]
        near: dict[Var, None] = {}
        for each in sources:
            del self.users[each][var]
            near |= dict.fromkeys([each, *self.users[each]])
        return tuple(near)

    def count_saved(self) -> int:
        """Return how many transpositions fewer there would be."""
        return sum(self._is_transpose(var) - self._is_kept(var) for var in self.perms)

    def begins_within(self) -> bool:
        """Return whether a transposition where the region begins is of a value in it."""
        begins = [self._graph.bound_to(var) for var, moved in self.moved.items() if moved is None]
        return any(type(call) is Call and inputs_of(call)[0] in self.perms for call in begins)

    # rewriting

    def apply(self) -> None:
        """Compute what values are transposed from, and transpose those that are still needed."""
        graph = self._graph
        images: dict[Expr, Expr] = {}
        rebound: dict[Var, Expr] = {}
        for var in post_order(self.perms, self.sources.__getitem__):
            made = self._compute(var, images)
            if _is_identity(self.perms[var]):
                rebound[var] = made  # nothing is left to be transposed
                continue
            images[var] = graph.emit(var.name_hint, made, before=var)
            if self.moved[var] is not None and self._is_kept(var):
                attrs = {"perm": self.perms[var]}
                rebound[var] = graph.call("Transpose", (images[var],), attrs)
        graph.rebind(rebound, "sink_transpose")

    def _compute(self, var: Var, images: dict[Expr, Expr]) -> Expr:
        """Return what a value is transposed from: a variable, or a call of others."""
        graph, moved = self._graph, self.moved[var]
        call = graph.bound_to(var)
        assert type(call) is Call
        if graph.operator(call) == "Transpose":
            (source,) = inputs_of(call)
            return source if moved is None else images[source]
        assert moved is not None
        assert type(call.op) is Op
        inputs: list[Expr] = []
        for place, each in enumerate(moved.inputs):
            if not isinstance(each, Expr):
                inputs.append(graph.emit("constant", Constant(each), before=var))
            else:
                inputs.append(images[each] if place in moved.places else each)
        return make_call(call.op, inputs, moved.attributes, span=call.span)


def _is_identity(perm: Permutation) -> bool:
    return perm == tuple(range(len(perm)))


RULES: Final = OnnxRules((sink_transpose,))
