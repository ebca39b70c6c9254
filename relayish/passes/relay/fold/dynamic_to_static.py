"""Make shapes that come as arguments attributes, where they can be computed beforehand.

Before, with ``%x`` of shape ``(2, 3, 4)`` and ``%y`` of shape ``(8, 3)``::

    %0 = shape_of(%y, dtype="int32");
    dyn.reshape(%x, %0, newshape=[]) /* ty=Tensor[(?, ?), float32] */

After::

    reshape(%x, newshape=[8, 3]) /* ty=Tensor[(8, 3), float32] */
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from relayish.analysis.call_type import call_type
from relayish.analysis.infer_type import infer_type
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.analysis.static_shape import StaticShapes, get_static_shape
from relayish.errors import FieldError, OperatorError, TypeInferenceError
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.op.builders.known_type import TypeFinder
from relayish.pass_infra import register_pass
from relayish.passes.relay.fold.fold_constant import ConstantFolder
from relayish.passes.relay.fold.static_rules import StaticCall, find_static_call
from relayish.passes.relay.normal_form.functions import (
    iterate_optimized_functions,
    transform_functions,
)
from relayish.passes.relay.rewrite.rules.retyping import Retyping


class _Types(Protocol):
    """What tells types, and what is bound to variables, as far as the program is rewritten."""

    values: dict[Node, Expr]

    def find_type(self, expr: Expr) -> Type | None: ...


class _Shapes(StaticShapes):
    """Reads shapes off the types that the rewritten program has so far."""

    def __init__(self, types: _Types) -> None:
        super().__init__()
        self._types = types

    def of(self, expr: Expr) -> tuple[int, ...] | None:
        """Return the shape of the tensor ``expr`` where all dimensions are known, or ``None``."""
        ty = self._types.find_type(expr)
        return super().of(expr) if ty is None else get_static_shape(ty)


class _SizeFolder(ConstantFolder):
    """Evaluates what sizes are computed from, by way of local variables as well."""

    remembers = True

    def __init__(self, types: _Types) -> None:
        super().__init__()
        self._shapes = _Shapes(types)
        self._bound = types.values
        self._transparency = ReferentialTransparency()

    def visit_var(self, var: Var) -> Expr:
        """Return the value of the variable where it is constant."""
        value = self._bound.get(var)
        image = var if value is None else self.visit(value)
        return image if type(image) is Constant else super().visit_var(var)

    def sizes(self, form: StaticCall, call: Call) -> dict[str, Any] | None:  # Any: numpy values
        """Return the values that become attributes, or ``None`` if one of them is not known."""
        found: dict[str, Any] = {}  # Any: as above
        for name, (at, _) in form.sizes.items():
            value = self._value(call.args[at])
            if value is None:
                return None
            found[name] = value
        return found

    def _value(self, size: Expr) -> Any:  # Any: a numpy value, or None
        """Return the value of an argument, where it is a constant of finite numbers."""
        if type(size) is not Constant and not self._transparency.holds_for(size):
            return None  # it has an effect, or depends on one
        with np.errstate(all="ignore"):
            image = self.visit(size)
        if type(image) is not Constant or not isinstance(image.data, (np.ndarray, np.generic)):
            return None
        return image.data if np.all(np.isfinite(image.data)) else None


class _Staticiser(Retyping):
    """Puts sizes that are arguments into attributes."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = _SizeFolder(self)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Return the static call, where the sizes are constant and fit."""
        form = find_static_call(post.op)
        values = None if form is None else self._folder.sizes(form, post)
        if form is None or values is None:
            return post
        return self._make_static(form, pre, post, values) or post

    def _make_static(
        self,
        form: StaticCall,
        pre: Call,
        post: Call,
        values: dict[str, Any],  # Any: numpy values
    ) -> Call | None:
        """Return the static call; ``None`` if these sizes are none, which is told at run time."""
        try:
            call = form.build(post, values)
            ty = call_type(call, tuple([self.type_of(arg) for arg in call.args]))
        except (TypeInferenceError, OperatorError, FieldError):
            return None
        return call if _narrows(ty, self.type_of(pre)) else None


class _UntypedStaticiser(ExprRewriter):
    """Puts sizes into attributes where no types were inferred, as far as they can be told."""

    def __init__(self) -> None:
        self.values: dict[Node, Expr] = {}
        self._finder = TypeFinder({})
        self._folder = _SizeFolder(self)

    def find_type(self, expr: Expr) -> Type | None:
        """Return the type of ``expr`` where it follows from its parts."""
        return self._finder.of(expr)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:  # noqa: ARG002
        """Return the static call, where the sizes are constant and fit."""
        form = find_static_call(post.op)
        values = None if form is None else self._folder.sizes(form, post)
        if form is None or values is None:
            return post
        try:
            call = form.build(post, values)
        except (OperatorError, FieldError):
            return post  # these sizes are none, which is told at run time
        return post if self._finder.of(call) is None else call


def _narrows(ty: Type, dynamic: Type) -> bool:
    """Return whether ``ty`` says of tensors what ``dynamic`` says, and sizes besides."""
    if isinstance(ty, TupleType) and isinstance(dynamic, TupleType):
        return len(ty.fields) == len(dynamic.fields) and all(
            map(_narrows, ty.fields, dynamic.fields)
        )
    if not isinstance(ty, TensorType) or not isinstance(dynamic, TensorType):
        return False
    return ty.dtype == dynamic.dtype and len(ty.shape) == len(dynamic.shape)


def dynamic_to_static(func: Function) -> Function:
    """Static shapes: make shapes attributes that come as arguments and can be computed.

    Return ``func``, whose types are known, with shapes as attributes where they are constant.

    What a size is computed from may be constants, shapes that are known, which are more and more on
    the way, and variables bound to such. The types of local variables and of the result follow.

    Args:
        func: A well-formed function with its types inferred.

    Returns:
        ``func`` itself when there is nothing to change. A call stays where its sizes have an effect
        besides, or are wrong: it will say so when the program comes there.

    Raises:
        PassError: If types were not inferred.
        TypeInferenceError: If a call cannot be well-typed with the shapes found for its arguments.

    Complexity:
        Linear in the number of distinct nodes, not counting evaluation; each is typed once.
    """
    return _Staticiser().rewrite(func)


@register_pass("DynamicToStatic", opt_level=2)
def dynamic_to_static_of_module(mod: IRModule) -> IRModule:
    """Static shapes: make shapes attributes that come as arguments and can be computed.

    What :func:`dynamic_to_static` does, with each function of a module, which is typed then. A
    module that is well-typed only with shapes made static becomes so, where the types that this
    takes follow from constants, annotations and operators.

    Raises:
        TypeInferenceError: If the module cannot be well-typed even so.

    Source:
        Relay ``DynamicToStatic``, which infers types anew at every step.
    """
    given = mod
    try:
        typed = infer_type(mod)
    except TypeInferenceError:
        given = transform_functions(mod, _make_sizes_static, iterate_optimized_functions)
        if given is mod:
            raise
        typed = infer_type(given)
    image = transform_functions(typed, dynamic_to_static, iterate_optimized_functions)
    if image is not typed:
        return infer_type(image)
    return mod if given is mod else typed


def _make_sizes_static(func: Function) -> Expr:
    return post_order_rewrite(func, _UntypedStaticiser())
