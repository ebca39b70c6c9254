"""Lambda lifting, with closure conversion: make global functions of the functions inside functions.

Before::

    def @main(%x: int32) -> fn (int32) -> int32 {
      let %twice = fn (%a: int32) { %a + %a };
      fn (%y: int32) { %twice(%x) + %y }
    }

After::

    def @lifted_name1(%a: int32) { %a + %a }
    def @lifted_name2(%twice: fn (int32) -> int32, %x: int32, Closure=1) {
      fn (%y: int32) { %twice(%x) + %y }
    }
    def @main(%x: int32) -> fn (int32) -> int32 {
      let %twice = @lifted_name1;
      @lifted_name2(%twice, %x)
    }
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, count
from typing import Final, NamedTuple

from relayish.analysis.function_types import function_type
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Var
from relayish.ir.relay.function_attributes import CLOSURE
from relayish.ir.relay.global_var_supply import GlobalVarSupply
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.renaming import make_fresh_variable, replace_nodes
from relayish.pass_infra import register_pass
from relayish.passes.relay.functions.interprocedural.captures import Captures, Inner, has_inner
from relayish.passes.relay.functions.interprocedural.copy import (
    copy_function,
    make_fresh_var,
    substitute_body,
)
from relayish.passes.relay.functions.interprocedural.shared_effects import bind_shared_effects
from relayish.passes.relay.normal_form.functions import iterate_open_functions, transform_functions

_CLOSURE: Final = DictAttrs({CLOSURE: 1})


class _Lifted(NamedTuple):
    """A function that was given a name, and how it is told from others."""

    skeleton: Function
    """The function, with names in the place of functions inside and without its result type."""
    shape: tuple[bool, ...]
    """For each of its free variables whether it stands for the function itself."""
    name: GlobalVar


class _Lifter:
    """Lifts the functions inside the functions of one module."""

    def __init__(self, mod: IRModule, captures: dict[Function, Captures]) -> None:
        self._mod = mod
        self._captures = captures
        self._known: dict[int, list[_Lifted]] = {}
        self._supply = GlobalVarSupply(mod)
        self.added: dict[GlobalVar | str, Expr] = {}
        """What is to go into the module."""

    def lift(self, root: Function) -> Function:
        """Return ``root`` without functions inside, which are added."""
        if not has_inner(root):
            return root
        captures = self._captures.pop(root, None) or Captures(root)
        if len(captures.inner) == 1:
            return root
        names: dict[Function, GlobalVar] = {}
        images: dict[Expr, Expr] = {}
        pending: list[tuple[Inner, Function]] = []
        for function, known in captures.inner.items():
            inside: dict[Expr, Expr] = {used: images[used] for used in known.functions}
            image = substitute_body(function, inside, typed=captures.is_typed)
            if function is root:
                root = image
                continue
            name, is_new = self._name(known, image, captures)
            names[function] = name
            images[function] = _make_closure(name, known, known.captured, typed=captures.is_typed)
            if is_new:
                pending.append((known, image))
        shared = _find_shared_bindings(captures)
        for known, image in pending:
            made = _finish(known, image, captures, names)
            if known.type_vars:
                fresh = {var: make_fresh_variable(var) for var in known.type_vars}
                made = replace_nodes(made, fresh, traversal=EVERYTHING)
            is_shared = not shared.isdisjoint(known.bound)
            self.added[names[known.function]] = copy_function(made) if is_shared else made
        return root

    def _name(self, known: Inner, image: Function, captures: Captures) -> tuple[GlobalVar, bool]:
        """Return a name for ``image``, and whether no equal function goes by it already.

        A function that needs others around it, or has type variables of theirs, is equal to none.
        """
        skeleton = Function(
            image.params, image.body, None, image.type_params, image.attrs, image.virtual_device
        )
        number = structural_hash(skeleton)
        shape = tuple([var is known.var for var in known.free])
        is_shared = not known.type_vars and all(var is known.var for var in known.around)
        lifted_before = self._known.setdefault(number, []) if is_shared else []
        for lifted in lifted_before:
            if lifted.shape == shape and structural_equal(lifted.skeleton, skeleton, True):
                return lifted.name, False
        stem = f"lifted_name{number & 0xFFFFFFFFFFFFFFFF}"
        for text in chain([stem], (f"{stem}_{number}" for number in count(1))):
            if not self._supply.name_supply.contains_name(text, add_prefix=False):
                name, is_new = self._supply.fresh_global(text, add_prefix=False), True
                break
            if is_shared and text in self._mod:
                name, is_new = self._mod.get_global_var(text), False
                ours = _finish(known, image, captures, {known.function: name})
                if structural_equal(self._mod[name], ours):
                    break
        lifted_before.append(_Lifted(skeleton, shape, name))
        return name, is_new


def _find_shared_bindings(captures: Captures) -> set[Node]:
    """Return the variables of lets, and the like, that several functions share."""
    counts = Counter(chain.from_iterable(known.bound for known in captures.inner.values()))
    return {var for var, count in counts.items() if count > 1}


def _make_closure(name: GlobalVar, known: Inner, captured: Iterable[Expr], *, typed: bool) -> Expr:
    """Return what the function that goes by ``name`` is made by, from what it captures."""
    if known.is_closed:
        return name
    function = known.function
    ty = function.checked_type if typed else None
    return Call(name, tuple(captured), span=function.span, checked_type=ty)


def _finish(
    known: Inner, image: Function, captures: Captures, names: dict[Function, GlobalVar]
) -> Function:
    """Return what goes into the module for ``image``, a function without functions inside."""
    typed = captures.is_typed
    fresh: dict[Expr, Var] = {var: make_fresh_var(var, typed=typed) for var in known.captured}
    values: dict[Expr, Expr] = {**fresh}
    for var in known.around:
        around = captures.named[var]
        given = [fresh[captured] for captured in around.captured]
        values[var] = _make_closure(names[around.function], around, given, typed=typed)
    image = substitute_body(image, values, typed=typed)
    if known.is_closed:
        return image
    function = known.function
    params = tuple(fresh.values())
    return Function(
        params,
        image,
        function.checked_type,
        tuple(known.type_vars),
        _CLOSURE,
        span=function.span,
        checked_type=function_type(params, function.checked_type) if typed else None,
    )


@register_pass("LambdaLift", opt_level=1, infer_types=True, idempotent=True)
def lambda_lift(mod: IRModule) -> IRModule:
    """Lambda lifting: make global functions of the functions inside functions.

    Return ``mod`` with every function inside another one made a function of the module.

    A function that uses no variable from outside is replaced by its global name. Any other is
    replaced by a call ``@lifted_name<hash>(captured..)`` of a function that takes the variables it
    uses and returns it; such a function has the attribute ``Closure=1``, and the function it
    returns stays inside. A function bound by a let may refer to itself, and those inside may refer
    to it: it is made anew there, of what it captures.

    Names are the same in every process. Equal functions are lifted once; one whose name another
    has got gets a number. Functions with the attribute ``Primitive`` stay where they are, and what
    other compilers own is lifted as it stands. What a function shares with what is around it, and
    must not be evaluated twice, because it has an effect, say, is bound by a let first and
    captured.

    Args:
        mod: A typed module, see :func:`~relayish.analysis.infer_type`.

    Returns:
        ``mod`` itself when there was nothing to lift. Expressions carry the types they had, but for
        those of polymorphic functions, and where variables have types that cannot be said.

    Raises:
        PassError: If what a function shares may act, and no let evaluates it just when it is needed
            first.

    Complexity:
        Linear in the distinct nodes of each function, and in what the functions capture; no
        recursion.

    Source:
        Relay and RAF ``LambdaLift``, which fail where two functions get the same name.
    """
    captures: dict[Function, Captures] = {}

    def has_functions(function: Function) -> bool:
        if not has_inner(function):
            return False
        found = captures[function] = Captures(function)
        return len(found.inner) > 1

    mod = bind_shared_effects(mod, has_functions)
    lifter = _Lifter(mod, captures)
    return transform_functions(mod, lifter.lift, iterate_open_functions).with_functions(
        lifter.added
    )
