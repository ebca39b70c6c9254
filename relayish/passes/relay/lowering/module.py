"""Lowering of modules: a visitor of handlers over every function, and checks between levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from relayish.analysis.infer_type import infer_type
from relayish.analysis.well_formed import check_well_formed
from relayish.domain import Visitor
from relayish.errors import PassError, TypeInferenceError, WellFormedError, add_note
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.renaming import make_fresh_variables, replace_nodes
from relayish.ir.scopes.scoping import PROGRAM, collect_variables
from relayish.passes.relay.lowering.context import Left, LowerCtx, Unlowerable
from relayish.passes.relay.normal_form.functions import iterate_optimized_functions


class SymbolMap(NamedTuple):
    """The symbols of a module and those that stand for them in the lowered one (AIR's id maps).

    Attributes:
        global_vars: By name of a definition that was lowered, that of what it became.
        variables: By variable that the old functions bind, that of the new ones.
    """

    global_vars: Mapping[GlobalVar, GlobalVar]
    variables: Mapping[Node, Node]


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
    renamed = _rename(typed, names, suffix)
    context = LowerCtx(unlowerable=unlowerable)
    visitor = assembled(context)
    images = {name: _lower_function(visitor, name, typed[name]) for name in names}
    if all(image is typed[name] for name, image in images.items()):
        symbols = _find_symbols(typed, dict.fromkeys(names))
        return Lowering(mod, symbols, tuple(context.left))
    symbols = _find_symbols(typed, renamed)
    lowered = _new_module(typed, images, symbols)
    if check:
        lowered = check_lowering(typed, lowered, symbols)
    return Lowering(lowered, symbols, tuple(context.left))


def _lower_function(visitor: Visitor[LowerCtx], name: GlobalVar, function: Node) -> Expr:
    try:
        image: Expr = visitor.visit(function)
    except BaseException as error:
        add_note(error, f"in function @{name.name_hint}")
        raise
    return image


def _rename(
    mod: IRModule, names: Sequence[GlobalVar], suffix: str
) -> dict[GlobalVar, GlobalVar | None]:
    """Return the new name of each definition, ``None`` where it keeps its own."""
    if not suffix:
        return dict.fromkeys(names)
    taken = {name.name_hint for name in mod.functions}
    for name in names:
        if name.name_hint + suffix in taken:
            raise PassError(
                f"lowering with suffix={suffix!r} would call @{name.name_hint} as another function "
                f"is called, @{name.name_hint}{suffix}; choose another suffix"
            )
    return {name: mod.make_name(name.name_hint + suffix) for name in names}


def _find_symbols(mod: IRModule, names: Mapping[GlobalVar, GlobalVar | None]) -> SymbolMap:
    """Return what becomes of names, and of variables: new ones where names are."""
    variables: dict[Node, Node] = {}
    for name, new in names.items():
        _, bound = collect_variables(mod[name], PROGRAM)
        fresh = {} if new is None else make_fresh_variables(mod[name])
        variables.update((old, _with_type(fresh.get(old, old), old)) for old in bound)
    return SymbolMap({name: new or name for name, new in names.items()}, variables)


def _with_type(new: Node, old: Node) -> Node:
    """Return a variable with the type that was inferred of the one it stands for."""
    if new is old or not isinstance(old, Expr):
        return new
    return new.with_fields(checked_type=old.checked_type)


def _new_module(mod: IRModule, images: Mapping[GlobalVar, Expr], symbols: SymbolMap) -> IRModule:
    """Return the module of the new functions, and of all other definitions with new names."""
    renamed = {old: new for old, new in symbols.global_vars.items() if old is not new}
    if not renamed:
        return mod.with_functions(images)
    definitions: dict[GlobalVar, Node] = {}
    for name, definition in mod.functions.items():
        image = images.get(name)
        if image is None:
            definitions[name] = replace_nodes(definition, renamed)
            continue
        variables = make_fresh_variables(image, symbols.variables)
        definitions[renamed[name]] = replace_nodes(image, {**renamed, **variables})
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
