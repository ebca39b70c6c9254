"""Type inference for expressions and whole modules."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TypeVar, cast, overload

from relayish._support.collector import pause_collection
from relayish._support.graph import components
from relayish.analysis.infer_type.annotate import Annotator
from relayish.analysis.infer_type.global_uses import global_uses
from relayish.analysis.infer_type.inferencer import Inferencer
from relayish.analysis.infer_type.signature import declared_type, stated_type
from relayish.errors import Diagnostic, FieldError, TypeInferenceError, indefinite
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Expr, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import FuncType, IncompleteType, Type

_E = TypeVar("_E", bound=Expr)


@overload
def infer_type(program: IRModule, mod: None = None, *, fresh: bool = False) -> IRModule: ...
@overload
def infer_type(program: _E, mod: IRModule | None = None, *, fresh: bool = False) -> _E: ...
def infer_type(
    program: IRModule | Expr, mod: IRModule | None = None, *, fresh: bool = False
) -> IRModule | Expr:
    """Return ``program`` with its type on every expression, as ``checked_type``.

    Variables without annotation, and functions without a result type, are annotated with what was
    found; calls of polymorphic functions get their type arguments. Operators, constructors and
    global variables are names: they carry no type of their own. Definitions of other languages are
    left alone; those that are used have the type that was registered for their kind.

    Args:
        program: A module, or an expression whose free variables are annotated.
        mod: For an expression: where global names and types are defined. Its functions have types
            already, or say them in full.
        fresh: Look at every expression, also at those that carry a type.

    Returns:
        The same object where every expression has its type already; parts that do stay the same
        objects. In a module only functions that carry no type, or call one whose type is another
        now, are looked at.

    Raises:
        TypeInferenceError: If the program is ill-typed, or a type cannot be told; its
            ``diagnostics`` say everything that is wrong, each with its place in the text.

    Complexity:
        Linear in distinct nodes, but for what relations of operators look at; no recursion.

    Source:
        Relay ``InferType``.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> from relayish.ir.relay.type import TensorType
        >>> x = Var("x", TensorType((2, 3), "float32"))
        >>> infer_type(Function((x,), Tuple((x,)))).ret_type.fields[0].shape
        (2, 3)
    """
    with pause_collection():  # what is found of each part lives until the end
        if isinstance(program, IRModule):
            return _infer_module(program, fresh=fresh)
        _check_expr(program, "infer_type takes a module or an expression")
        return _infer_expr(program, mod, fresh=fresh)


def infer_type_local(expr: Expr, mod: IRModule | None = None) -> Type:
    """Return the type of ``expr``, looking only at what is not typed yet.

    See :func:`infer_type`; rewrites use it on an expression made of parts that have their types.

    Source:
        Relay ``InferTypeLocal``.
    """
    _check_expr(expr, "infer_type_local takes an expression")
    if expr.checked_type is not None:
        return expr.checked_type
    typed = infer_type(expr, mod).checked_type
    assert typed is not None
    return typed


def _check_expr(given: object, wanted: str) -> None:
    if isinstance(given, Expr):
        return
    advice = "; infer_type takes it" if isinstance(given, IRModule) else ""
    raise FieldError(f"{wanted}; found {indefinite(type(given))}{advice}")


def _infer_expr(expr: Expr, mod: IRModule | None, *, fresh: bool) -> Expr:
    if expr.checked_type is not None and not fresh:
        return expr
    known: dict[str, Type] = {}
    if mod is not None:
        needed = global_uses(expr).names
        if any(name in mod and declared_type(mod[name]) is None for name in needed):
            mod = infer_type(mod)
        known = {name: stated_type(mod[name]) for name in needed if name in mod}
    (typed,) = _infer_together([("", expr)], Inferencer(mod, known), fresh=fresh)
    return typed


def _infer_module(mod: IRModule, *, fresh: bool) -> IRModule:
    functions = {g.name_hint: f for g, f in mod.functions_of(Expr).items()}
    known = _signatures(mod, functions)
    changed = {name for name, f in functions.items() if fresh or f.checked_type is None}
    changed.update(known)  # nothing tells whether callers have their types from them
    if not changed:
        return mod
    typed: dict[GlobalVar | str, Expr] = {}
    found = Inferencer(mod, known)
    problems = found.problems_of_definitions()
    names = list(functions)
    uses = {name: global_uses(functions[name]).names for name in names if len(names) > 1}
    for group in components(uses) if uses else [names]:
        known.update({name: stated_type(functions[name]) for name in group if name not in changed})
        try:
            for name, image in _infer_group(group, functions, known, changed, found, fresh=fresh):
                typed[name] = image
                known[name] = stated_type(image)
                changed.add(name)
        except TypeInferenceError as error:
            problems += error.diagnostics
            known.update({name: IncompleteType() for name in group})
    _raise(problems)
    return mod.with_functions(typed)


def _signatures(mod: IRModule, functions: Mapping[str, Expr]) -> dict[str, Type]:
    """Return the types of functions of other languages that are used, by name."""
    if len(mod) == len(functions):
        return {}
    used = {name for func in functions.values() for name in global_uses(func).names}
    return {n: stated_type(mod[n]) for n in sorted(used) if n in mod and n not in functions}


def _infer_group(
    group: list[str],
    functions: Mapping[str, Expr],
    known: Mapping[str, Type],
    changed: set[str],
    found: Inferencer,
    *,
    fresh: bool,
) -> list[tuple[str, Expr]]:
    """Return those of ``group``, functions that refer to one another, that get other types."""
    members = [(name, functions[name]) for name in group if name in changed]
    images = _infer_together(members, found, fresh=fresh) if members else []
    now = {name: stated_type(image) for (name, _), image in zip(members, images, strict=True)}
    unchanged = [functions[name] for name in group if name not in changed]
    if not all(_agrees(func, {**known, **now} if now else known, changed) for func in unchanged):
        members = [(name, functions[name]) for name in group]
        images = _infer_together(members, found, fresh=True)
    return [(name, image) for (name, _), image in zip(members, images, strict=True)]


def _agrees(func: Expr, known: Mapping[str, Type], changed: Container[str]) -> bool:
    """Return whether ``func`` uses the functions in ``changed`` by the types they have now."""
    uses = global_uses(func)
    if any(name in changed for name in uses.values):
        return False
    called = ((call, cast("GlobalVar", call.op).name_hint) for call in uses.calls)
    return all(_call_agrees(call, known.get(name)) for call, name in called if name in changed)


def _call_agrees(call: Call, func: Type | None) -> bool:
    if not isinstance(func, FuncType) or func.type_params:
        return False
    expected = (*func.arg_types, func.ret_type)
    found = (*(arg.checked_type for arg in call.args), call.checked_type)
    return len(expected) == len(found) and all(map(structural_equal, expected, found))


def _infer_together(
    members: list[tuple[str, Expr]], found: Inferencer, *, fresh: bool
) -> list[Expr]:
    """Return definitions, by name, with their types; they may refer to one another.

    Raises:
        TypeInferenceError: With all that is wrong with them.
    """
    while True:
        annotator = _annotated(members, found, fresh=fresh)
        if annotator.retyped and not fresh:
            fresh = True
            continue
        images = [(name, cast("Expr", annotator.images[member])) for name, member in members]
        if not found.widened or found.has_faults or images == members:
            return [image for _, image in images]
        members, fresh = images, True  # what was told before that may hold no longer


def _annotated(members: list[tuple[str, Expr]], found: Inferencer, *, fresh: bool) -> Annotator:
    """Return what holds the typed definitions, looked at once."""
    found.start([member for _, member in members], fresh=fresh)
    for name, member in members:
        found.where = f"@{name}" if name else ""
        found.declare_global(name, member)
    for name, member in members:
        found.where = f"@{name}" if name else ""
        found.infer(member)
        found.define_global(name, member)
        found.solve()
    found.give_up()
    annotator = Annotator(found)
    if not found.diagnostics:
        annotator.run()
    _raise(found.diagnostics)
    return annotator


def _raise(problems: Sequence[Diagnostic]) -> None:
    """Raise an error that says all ``problems``, if there are any."""
    if not problems:
        return
    distinct = tuple(dict.fromkeys(problems))
    if len(distinct) == 1:
        raise TypeInferenceError(str(distinct[0]), distinct)
    listed = "".join(f"\n  {problem}" for problem in distinct)
    raise TypeInferenceError(f"{len(distinct)} errors of type were found:{listed}", distinct)
