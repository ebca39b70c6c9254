"""Tensors as loops: what a network computes in groups of operators, each as a function of loops.

Before::

    def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) {
      nn.relu(nn.dense(%x, %w))
    }

After::

    def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) {
      @main_maximum(%x, %w)
    }

    function main_maximum (_x, _w, _maximum)
    { ... }
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, Literal

from relayish.domain import Handler
from relayish.domain.tasks import make_handlers
from relayish.errors import DispatchError, UnlowerableError
from relayish.functor import ExprMutator
from relayish.ir.equality.exact_key import make_exact_key
from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import (
    Call,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.function_attributes import PRIMITIVE, has_attribute, is_primitive
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS, TYPES
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.scopes.name_supply import NameSupply
from relayish.ir.scopes.renaming import replace_nodes
from relayish.op.declaration import properties
from relayish.pass_infra import Sequential, register_pass
from relayish.passes.relay.to_loops.functions import Kernel, function_to_loops


@register_pass("LowerToLoops", opt_level=0)
def lower_to_loops(mod: IRModule, *, unlowerable: Literal["keep", "refuse"] = "keep") -> IRModule:
    """Tensors as loops: write groups of operators as functions of the loop IR.

    ``FuseOps`` makes the groups, ``Lower`` writes them by tensor operators, and handlers of each
    domain say what the elements of these are. What computes an element of those at its place is
    computed where it is used; sums, and what is used repeatedly, are kept in memory. What is left
    of functions says in which order the groups run.

    Args:
        mod: A module.
        unlowerable: ``"keep"`` leaves groups that loops cannot express, ``"refuse"`` raises.

    Returns:
        The module with functions of loops beside its own.

    Raises:
        UnlowerableError: If a group cannot be expressed and is not to be kept: which node, and why.
        DispatchError: The same where the domain of an operator says nothing of loops.

    Complexity:
        Linear in the number of distinct nodes, and in the size of the formulas that inlining makes.

    Source:
        CINN ``OpLowerer``, TVM ``te`` computations and ``LowerTE``.
    """
    return lower_groups(mod, unlowerable=unlowerable)


def lower_groups(
    mod: IRModule,
    handlers: Sequence[Handler | type[Handler]] = (),
    *,
    unlowerable: Literal["keep", "refuse"] = "keep",
) -> IRModule:
    """Return what :func:`lower_to_loops` does, with handlers in place of those of their domains."""
    grouped = Sequential(_GROUPING, opt_level=0)(mod)
    serving = make_handlers("loops", *handlers)
    supply = NameSupply(taken=[var.name_hint for var in grouped.functions])
    made: dict[GlobalVar, Kernel] = {}
    images = {}
    for var, func in grouped.functions.items():
        if isinstance(func, Function):
            mutator = _Groups(
                var.name_hint, func, supply, made, serving, refuses=unlowerable == "refuse"
            )
            image = mutator.visit(func)
            ty = func.body.checked_type
            if ty is not None and names_sizes(ty):
                image = image.with_fields(ret_type=ty)
            images[var] = image
    if not (made or _has_marks(mod)):
        return mod
    kernels = {var: kernel.func for var, kernel in made.items()}
    return Sequential(["InferType"], opt_level=0)(grouped.with_functions({**images, **kernels}))


_GROUPING: Final = (
    *("InferType", "ToGraphNormalForm", "InferType"),
    *("FuseOps", "Lower", "InferType"),
)


class _Groups(ExprMutator):
    """Puts calls of functions of loops in the place of calls of groups, and takes marks away."""

    def __init__(
        self,
        name: str,
        func: Function,
        supply: NameSupply,
        made: dict[GlobalVar, Kernel],
        handlers: Sequence[Handler],
        *,
        refuses: bool,
    ) -> None:
        super().__init__()
        self._name = name
        self._params = func.params
        self._supply = supply
        self._made = made
        self._instead = handlers
        self._refuses = refuses
        self._known: dict[Hashable, GlobalVar | None] = {}

    def visit_call(self, call: Call) -> Expr:
        group = call.op
        if has_attribute(group, PRIMITIVE) and not is_primitive(group):
            return self.visit(_without_call(call))
        if isinstance(group, Op) and group in properties.mark:
            return self.visit(call.args[0])
        if not isinstance(group, Function) or not is_primitive(group):
            return _sized(call, super().visit_call(call))
        var = self._lowered(group)
        if var is None:
            return call.with_fields(args=self.mutate_all(call.args))
        args = [each for arg in call.args for each in _fields(arg, self.visit(arg))]
        kernel = self._made[var]
        image = Call(var, (*args, *kernel.tellers, *kernel.constants), span=call.span)
        is_single = kernel.is_tuple and kernel.results == 1  # a function has no tuple of one
        return _sized(call, Tuple((image,)) if is_single else image)

    def visit_if(self, branch: If) -> Expr:
        return _sized(branch, super().visit_if(branch))

    def visit_match(self, match: Match) -> Expr:
        return _sized(match, super().visit_match(match))

    def _lowered(self, group: Function) -> GlobalVar | None:
        """Return the function of loops that a group becomes, if loops can express it.

        Groups that are equal become one.
        """
        key = make_exact_key(group)
        if key in self._known:
            return self._known[key]
        hint = getattr(getattr(group.body, "op", None), "name", "group").replace(".", "_")
        name = self._supply.fresh_name(f"{self._name}_{hint}")
        var: GlobalVar | None = GlobalVar(name)
        try:
            assert var is not None
            made = function_to_loops(group, name, self._instead, around=self._params)
            self._made[var] = made
        except (UnlowerableError, DispatchError):
            if self._refuses:
                raise
            var = None
        self._known[key] = var
        return var


def _has_marks(mod: IRModule) -> bool:
    """Return whether an operator only marks a place, which says nothing to loops."""
    funcs = mod.functions_of(Function).values()
    nodes = [node for func in funcs for node in EXPRESSIONS.post_order(func)]
    called = [node.op for node in nodes if isinstance(node, Call)]
    return any(isinstance(op, Op) and op in properties.mark for op in called)


def _sized(expr: Expr, image: Expr) -> Expr:
    """Return an image with the type that was known: of functions of loops no sizes are, as names.

    Where all sizes are numbers, it is the image itself.
    """
    ty = expr.checked_type
    if ty is None or not names_sizes(ty):
        return image
    var = Var("sized", ty)
    return Let(var, image, var)


def names_sizes(ty: Type) -> bool:
    """Return whether a size of a type is no number."""
    tensors = [each for each in TYPES.post_order(ty) if isinstance(each, TensorType)]
    return any(not isinstance(size, int) for each in tensors for size in each.shape)


def _without_call(call: Call) -> Expr:
    """Return what a group computes that has no operator, and only takes tuples apart."""
    group = call.op
    assert isinstance(group, Function)
    made = replace_nodes(group.body, dict(zip(group.params, call.args, strict=True)))
    assert isinstance(made, Expr)
    return made


def _fields(arg: Expr, image: Expr) -> Sequence[Expr]:
    """Return what stands for an argument: of a tuple, each field."""
    ty = arg.checked_type
    if not isinstance(ty, TupleType):
        return (image,)
    if isinstance(image, Tuple):
        return image.fields
    return [TupleGetItem(image, at) for at in range(len(ty.fields))]
