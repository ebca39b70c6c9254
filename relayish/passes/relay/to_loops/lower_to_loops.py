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
from relayish.errors import DispatchError, UnlowerableError
from relayish.functor import ExprMutator
from relayish.ir.equality.exact_key import make_exact_key
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem
from relayish.ir.relay.function_attributes import PRIMITIVE, has_attribute, is_primitive
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TupleType
from relayish.ir.scopes.name_supply import NameSupply
from relayish.ir.scopes.renaming import replace_nodes
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
    supply = NameSupply(taken=[var.name_hint for var in grouped.functions])
    made: dict[GlobalVar, Kernel] = {}
    images = {}
    for var, func in grouped.functions.items():
        if isinstance(func, Function):
            mutator = _Groups(
                var.name_hint, supply, made, handlers, refuses=unlowerable == "refuse"
            )
            images[var] = mutator.visit(func)
    if not made:
        return mod
    for var, image in images.items():
        grouped = grouped.with_function(var, image)
    for var, kernel in made.items():
        grouped = grouped.with_function(var, kernel.func)
    return Sequential(["InferType"], opt_level=0)(grouped)


_GROUPING: Final = (
    *("InferType", "ToGraphNormalForm", "InferType"),
    *("FuseOps", "Lower", "InferType"),
)


class _Groups(ExprMutator):
    """Puts calls of functions of loops in the place of calls of groups."""

    def __init__(
        self,
        name: str,
        supply: NameSupply,
        made: dict[GlobalVar, Kernel],
        handlers: Sequence[Handler | type[Handler]],
        *,
        refuses: bool,
    ) -> None:
        super().__init__()
        self._name = name
        self._supply = supply
        self._made = made
        self._instead = handlers
        self._refuses = refuses
        self._known: dict[Hashable, GlobalVar | None] = {}

    def visit_call(self, call: Call) -> Expr:
        group = call.op
        if has_attribute(group, PRIMITIVE) and not is_primitive(group):
            return self.visit(_without_call(call))
        if not isinstance(group, Function) or not is_primitive(group):
            return super().visit_call(call)
        var = self._lowered(group)
        if var is None:
            return call.with_fields(args=self.mutate_all(call.args))
        args = [each for arg in call.args for each in _fields(arg, self.visit(arg))]
        kernel = self._made[var]
        image = Call(var, (*args, *kernel.constants), span=call.span)
        is_single = kernel.is_tuple and kernel.results == 1  # a function has no tuple of one
        return Tuple((image,)) if is_single else image

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
            self._made[var] = function_to_loops(group, name, self._instead)
        except (UnlowerableError, DispatchError):
            if self._refuses:
                raise
            var = None
        self._known[key] = var
        return var


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
