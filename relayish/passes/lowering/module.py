"""Lowering of modules: a visitor of handlers over every function, and checks between levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from relayish.analysis.infer_type import infer_type
from relayish.analysis.well_formed import check_well_formed
from relayish.domain import Visitor
from relayish.errors import PassError, TypeInferenceError, WellFormedError, add_note
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.renaming import replace_nodes
from relayish.ir.structural_equal import structural_equal
from relayish.passes.lowering.context import Left, LowerCtx, SymbolMap, Unlowerable
from relayish.passes.normal_form.functions import iterate_optimized_functions


class Lowering(NamedTuple):
    """What lowering made of a module.

    Attributes:
        module: The lowered module.
        symbols: By symbol of the old module, that of the new one.
        left: The calls that stayed as they were, and why.
    """

    module: IRModule
    symbols: SymbolMap
    left: Sequence[Left]


def lower_module(
    mod: IRModule,
    assembled: Callable[[LowerCtx], Visitor[LowerCtx]],
    *,
    unlowerable: Unlowerable = "keep",
    suffix: str = "",
    check: bool = True,
) -> Lowering:
    """Lower every function of ``mod`` by one visitor.

    Args:
        mod: Any well-formed module; its types are inferred first.
        assembled: Returns the visitor that lowers, of the context that it is given.
        unlowerable: Whether what tensor operators cannot express is kept or refused.
        suffix: What is put behind the names of lowered functions, whose variables are then new as
            well; without one the symbols of the old module serve the new one, too.
        check: Whether to check that the new module is well formed and has the types of the old.

    Returns:
        The new module, ``mod`` itself where nothing is lowered, and what became of its symbols.

    Raises:
        PassError: If something is refused; if what handlers made has other types than what it
            stands for, or is not well formed; if ``suffix`` makes a name that is there already.

    Complexity:
        Linear in distinct nodes, beside the rules; to a million levels.
    """
    typed = infer_type(mod)
    names = [name for name, _ in iterate_optimized_functions(typed)]
    symbols = SymbolMap(_rename(typed, names, suffix))
    context = LowerCtx(unlowerable=unlowerable, symbols=symbols)
    visitor = assembled(context)
    changed: dict[GlobalVar, Expr] = {}
    for name in names:
        function = typed[name]
        try:
            image = visitor.visit(function)
        except BaseException as error:
            add_note(error, f"in function @{name.name_hint}")
            raise
        if image is not function:
            changed[symbols.global_vars[name]] = image
    if not context.lowered:
        return Lowering(mod, SymbolMap({name: name for name in names}), tuple(context.left))
    lowered = _new_module(typed, changed, symbols)
    if check:
        lowered = check_lowering(typed, lowered, symbols)
    return Lowering(lowered, symbols, tuple(context.left))


def _rename(mod: IRModule, names: Sequence[GlobalVar], suffix: str) -> dict[GlobalVar, GlobalVar]:
    if not suffix:
        return {name: name for name in names}
    taken = {name.name_hint for name in mod.functions}
    for name in names:
        if name.name_hint + suffix in taken:
            raise PassError(
                f"lowering with suffix={suffix!r} would call @{name.name_hint} as another function "
                f"is called, @{name.name_hint}{suffix}; choose another suffix"
            )
    return {name: mod.make_name(name.name_hint + suffix) for name in names}


def _new_module(mod: IRModule, changed: dict[GlobalVar, Expr], symbols: SymbolMap) -> IRModule:
    """Return the module of the new functions, and of all other definitions with new names."""
    renamed = {old: new for old, new in symbols.global_vars.items() if old is not new}
    definitions = dict(changed)
    if renamed:
        for name, definition in mod.functions.items():
            if name not in symbols.global_vars:
                definitions[name] = replace_nodes(definition, renamed)  # type: ignore[assignment]
    return mod.without_functions(renamed).with_functions(definitions)


def check_lowering(before: IRModule, after: IRModule, symbols: SymbolMap) -> IRModule:
    """Check a level against the one before: types inferred anew, the same, and well formed.

    Args:
        before: A module with types.
        after: What it was lowered to.
        symbols: What its symbols became.

    Returns:
        ``after`` with types.

    Raises:
        PassError: If it is not well formed, or has other types.
    """
    try:
        check_well_formed(after)
        typed = infer_type(after)
    except (WellFormedError, TypeInferenceError) as error:
        raise PassError(f"what lowering made does not hold together: {error}") from error
    for old, new in symbols.global_vars.items():
        function, image = before[old], typed[new]
        assert isinstance(function, Function)
        assert isinstance(image, Function)
        if not structural_equal(function.checked_type, image.checked_type):
            raise PassError(
                f"lowering gave @{new.name_hint} the type {image.checked_type}; @{old.name_hint} "
                f"has {function.checked_type}; a rule has to keep the type of what it lowers"
            )
    return typed
