"""Defunctionalization: put data in the place of functions that are used as values.

Before::

    def @twice[A](%f: fn (A) -> A, %x: A) -> A { %f(%f(%x)) }
    def @main(%x: int32, %y: int32) -> int32 {
      @twice(fn (%a: int32) -> int32 { %a + %y }, %x)
    }

After::

    type fn_0 { closure_0(int32) }
    def @apply_0(%f: fn_0, %x: int32) -> int32 {
      match (%f) { closure_0(%captured) => { @lifted_name1(%x, %captured) } }
    }
    def @lifted_name1(%a: int32, %y: int32) -> int32 { %a + %y }
    def @twice_1(%f: fn_0, %x: int32) -> int32 { @apply_0(%f, @apply_0(%f, %x)) }
    def @main(%x: int32, %y: int32) -> int32 { @twice_1(closure_0(%y), %x) }
"""

from __future__ import annotations

from relayish.analysis import infer_type
from relayish.analysis.function_types import has_function_type
from relayish.analysis.infer_type.global_uses import global_uses
from relayish.errors import PassError
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.function_attributes import is_opaque, is_primitive
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.cleanup.remove_unused_functions import remove_unused_functions
from relayish.passes.relay.functions.defunctionalize.encode import Encoder, Encoding, check_kinds
from relayish.passes.relay.functions.defunctionalize.specialise import specialise, with_single_types
from relayish.passes.relay.functions.flatten_closure import flatten_closure
from relayish.passes.relay.functions.inline_primitives import inline_primitives
from relayish.passes.relay.functions.interprocedural.dropping import count_uses
from relayish.passes.relay.functions.lambda_lift import lambda_lift
from relayish.passes.relay.normal_form.eta_expand import eta_expand


@register_pass("Defunctionalization", opt_level=1, infer_types=True)
def defunctionalize(mod: IRModule, *, entry: str = "main") -> IRModule:
    """Defunctionalisation: put data in the place of functions that are used as values.

    Return ``mod`` with what ``entry`` needs, and no function used as a value in it.

    Polymorphic functions are copied for the types they are called with. Functions inside others are
    lifted. For each type of functions there is a data type whose values stand for functions and
    hold what they capture, and a function that applies them.

    Args:
        mod: A typed module, see :func:`~relayish.analysis.infer_type`.
        entry: The function from which the program is run. Others stay if it needs them.

    Returns:
        ``mod`` itself when no function is used as a value or polymorphic, and all are needed.
        Rewritten expressions carry no types.

    Raises:
        PassError: If ``entry`` is polymorphic or takes or returns functions; if a function inside
            another one is used at several types, a call leaves its types open, or there is no end
            to them; if an operator, a primitive function or one of another compiler is used as a
            value; if a constructor holds functions whatever the parameters of its type.
        UnknownKindError: If a node of a kind that a package declares takes or gives functions, and
            the kind is not registered; see ``FUNCTION_PASSING``.

    Complexity:
        Linear in distinct nodes of ``mod``, of the copies, and of what functions capture.

    Source:
        Relay ``Defunctionalization``; Reynolds, Definitional interpreters for higher-order
        programming languages, 1972.
    """
    _check_entry(mod, entry)
    needed = remove_unused_functions(mod, entry_functions=(entry,))
    primitive: dict[GlobalVar | str, Expr] = {
        name: inline_primitives(function)
        for name, function in needed.functions_of(Function).items()
        if not is_opaque(function)
    }
    named = flatten_closure(needed.with_functions(primitive))
    expanded = eta_expand(named, expand_constructor=True, expand_global_var=True)
    single = specialise(with_single_types(infer_type(expanded)), entry)
    lifted = infer_type(flatten_closure(lambda_lift(single)))
    encoding = Encoding(lifted)
    changed: dict[GlobalVar | str, Expr] = {}
    for name, definition in lifted.functions_of(Function).items():
        _check(name, definition)
        check_kinds(definition)
        if not is_opaque(definition):
            encoder = Encoder(lifted, encoding, global_uses(definition).values)
            changed[name] = encoder.encode(definition)
    types, applying = encoding.definitions()
    out = mod.without_functions([name for name in mod if name.name_hint not in lifted])
    out = out.with_functions(dict(lifted.functions.items()) | changed | applying)
    for data in types:
        out = out.with_type(data)
    return out


def _check_entry(mod: IRModule, entry: str) -> None:
    function = mod[entry]
    if not isinstance(function, Function):
        raise PassError(f"@{entry} is no function; found {function!r}")
    if function.type_params:
        raise PassError(f"@{entry} is polymorphic; a program is run from a function of one type")
    if has_function_type(function.ret_type):
        raise PassError(
            f"@{entry} returns functions ({function.ret_type}); nobody outside could call the data "
            f"that would stand for them"
        )
    for param in function.params:
        if has_function_type(param.type_annotation):
            raise PassError(
                f"@{entry} takes functions as its parameter %{param.name_hint} "
                f"({param.type_annotation}); they are not known, so no data can stand for them"
            )


def _check(name: GlobalVar, function: Function) -> None:
    """Raise if a function stays a value in ``function``."""
    if is_opaque(function):
        if any(has_function_type(param.type_annotation) for param in function.params):
            raise PassError(
                f"@{name.name_hint} takes functions, and is none of ours to rewrite; inline it or "
                f"take away its attribute"
            )
        return
    uses, calls = count_uses(function)
    for node, count in uses.items():
        if is_primitive(node) and calls[node] != count:
            raise PassError(
                f"a primitive function is used as a value in @{name.name_hint}; only calls of it "
                f"can stay"
            )
