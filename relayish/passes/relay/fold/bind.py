"""Give parameters of functions, and other free variables, their values.

Before::

    fn (%x, %weight) { nn.dense(%x, %weight) }

After, ``{weight: constant}`` bound::

    fn (%x) { nn.dense(%x, constant) }
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relayish.analysis.variables import free_vars
from relayish.errors import PassError, UnknownNameError, suggest
from relayish.functor.relay.substitute import fits, substitute, type_of_value
from relayish.ir.fields.naming import display_name
from relayish.ir.nodes.node import VARIABLES
from relayish.ir.relay.expr import Constant, Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.pass_infra import register_pass


def bind(expr: Expr, binds: Mapping[Var, Expr]) -> Expr:
    """Return ``expr`` with variables replaced by what they are bound to.

    Of a function, parameters may be bound as well, and are parameters no longer; variables that
    come in with what they are bound to, and were not free before, become parameters, behind those
    there are.

    Args:
        expr: Any well-formed expression.
        binds: What each variable is bound to.

    Returns:
        ``expr`` itself when none of the variables occurs. Types that need not hold any longer are
        dropped (see :func:`~relayish.functor.relay.substitute.substitute`), and so is the type of
        the result of a function if what a parameter is bound to is of another type.

    Raises:
        PassError: If a let, a pattern or a function within binds one of the variables; if what is
            bound is no variable, or what it is bound to no expression.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``bind``, which keeps all types as they were, and refuses where it would capture.

    Example:
        >>> from relayish.ir.relay.expr import Tuple
        >>> x, y, z = Var("x"), Var("y"), Var("z")
        >>> func = bind(Function((x, y), Tuple((x, y))), {x: z})
        >>> func.params == (y, z), func.body.fields[0] is z
        (True, True)
    """
    for var, image in binds.items():
        _check_binding(var, image)
    if type(expr) is not Function:
        return substitute(expr, binds)
    kept = tuple([param for param in expr.params if param not in binds])
    body = substitute(expr.body, binds)
    if body is expr.body and len(kept) == len(expr.params):
        return expr
    old = set(free_vars(expr))
    new = Function(kept, body)
    added = tuple([var for var in free_vars(new) if var not in old])
    exact = all(fits(var, image) for var, image in binds.items())
    return expr.with_fields(
        params=(*kept, *added), body=body, ret_type=expr.ret_type if exact else None
    )


def _check_binding(var: object, image: object) -> None:
    if not isinstance(var, Expr) or type(var) not in VARIABLES:
        raise PassError(
            f"variables are bound; found {var!r}; to bind parameters by their names, use "
            f"bind_params_by_name"
        )
    if not isinstance(image, Expr):
        raise PassError(
            f"{display_name(var)} must be bound to an expression; found {image!r}; write const(...)"
        )


# Any: whatever numpy makes an array of
def bind_params_by_name(func: Function, params: Mapping[str, Any]) -> Function:
    """Return ``func`` with parameters bound to constants, by their names.

    Args:
        func: A function whose parameters have different names, as far as they are asked for.
        params: Values by the names of parameters: constants, arrays or numbers.

    Raises:
        UnknownNameError: If ``func`` has no parameter of a name.
        PassError: If several have it, or a value has not the shape or element type with which the
            parameter is annotated.

    Source:
        Relay ``bind_params_by_name``, which passes over names nobody has.

    Example:
        >>> from relayish.ir.relay.type import scalar_type
        >>> x = Var("x", scalar_type("float32"))
        >>> bind_params_by_name(Function((x,), x), {"x": 2.0}).body.data.item()
        2.0
    """
    by_name: dict[str, list[Var]] = {}
    for param in func.params:
        by_name.setdefault(param.name_hint, []).append(param)
    binds: dict[Var, Expr] = {}
    for name, value in params.items():
        found = by_name.get(name, [])
        if not found:
            raise UnknownNameError(
                f"the function has no parameter {name!r}{suggest(name, by_name)}; its parameters "
                f"are {', '.join(by_name) or 'none'}"
            )
        if len(found) > 1:
            raise PassError(
                f"{len(found)} parameters of the function are called {name!r}; use bind() with the "
                f"variables themselves, or give them different names"
            )
        binds[found[0]] = _constant(found[0], value)
    image = bind(func, binds)
    assert isinstance(image, Function)
    return image


def _constant(param: Var, value: Any) -> Constant:  # Any: as above
    constant = value if isinstance(value, Constant) else Constant(value)
    wanted, found = param.type_annotation, type_of_value(constant.data)
    if wanted is None:
        return constant
    if not isinstance(wanted, TensorType) or not isinstance(found, TensorType):
        if found is not None:
            raise PassError(
                f"parameter %{param.name_hint} is of type {wanted}; found a value of type {found}"
            )
        return constant
    same_rank = len(found.shape) == len(wanted.shape)
    sizes = zip(found.shape, wanted.shape, strict=False)
    if (
        found.dtype != wanted.dtype
        or not same_rank
        or any(isinstance(size, int) and size != given for given, size in sizes)
    ):
        raise PassError(
            f"parameter %{param.name_hint} is of type {wanted}; found a value of type {found}; "
            f"give it one of that shape and element type, or change the annotation"
        )
    return constant


@register_pass("BindParams", opt_level=1)
def bind_params(
    mod: IRModule,
    *,
    params: Mapping[str, Any],  # Any: whatever numpy makes an array of
    function: str = "main",
) -> IRModule:
    """Parameter binding: replace parameters of a function by constants, by their names.

    What :func:`bind_params_by_name` does, with the function of ``mod`` that is called ``function``.
    Build the pass in Python: arrays cannot be written in a pipeline string.

    Returns:
        ``mod`` itself when nothing is bound.

    Raises:
        PassError: If there is no such function, or as :func:`bind_params_by_name` does.

    Source:
        RAF ``BindParam``, which leaves bound parameters in the list of parameters.

    Example:
        >>> from relayish.text import parse_expr
        >>> from relayish.transform import BindParams
        >>> mod = IRModule.from_expr(parse_expr("fn (%x: int32, %y: int32) { add(%x, %y) }"))
        >>> func = BindParams({"y": 2})(mod)["main"]
        >>> len(func.params), func.body.args[1]
        (1, Constant(data=np.int32(2)))
    """
    name = mod.get_global_var(function)
    func = mod[name]
    if not isinstance(func, Function):
        raise PassError(f"@{function} is no function that is defined in the module")
    image = bind_params_by_name(func, params)
    return mod if image is func else mod.with_functions({name: image})
