"""Kind checking: whether types are put together from types of the right kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, cast

from relayish.errors import TypeInferenceError, suggest
from relayish.ir.nodes.getters import nodes_held
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.adt import TypeData
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import (
    FuncType,
    GlobalTypeVar,
    RefType,
    TupleType,
    Type,
    TypeCall,
    TypeConstraint,
    TypeKind,
    TypeRelation,
)

Definitions: TypeAlias = Mapping[GlobalTypeVar, TypeData]
Known: TypeAlias = Mapping[Node, TypeKind]
KindRule: TypeAlias = Callable[[Any, Known, Definitions], str | None]  # Any: a type of one kind


def check_kind(ty: Type, mod: IRModule | None = None) -> TypeKind:
    """Return the kind of ``ty``: of a type, a constraint, a type definition, ….

    Args:
        ty: Any type.
        mod: Where the definitions of types are looked up that ``ty`` applies.

    Raises:
        TypeInferenceError: If a part of it is of the wrong kind, naming the part.

    Complexity:
        Linear in the distinct types it is made of; no recursion.

    Source:
        Relay ``KindCheck``.

    Example:
        >>> check_kind(TupleType((TensorType((3,), "float32"),)))
        <TypeKind.Type: 0>
    """
    kinds = Kinds({} if mod is None else mod.type_definitions)
    problem = kinds.look(ty)
    if problem is not None:
        raise TypeInferenceError(problem)
    return kinds.known[ty]


class Kinds:
    """The kinds of types, each type looked at once.

    Args:
        definitions: Where the definitions of types are looked up.
    """

    def __init__(self, definitions: Definitions) -> None:
        self.known: dict[Node, TypeKind] = {}
        self._definitions = definitions

    def problem(self, ty: Type) -> str | None:
        """Return what is wrong with ``ty`` as the type of a value, or ``None``."""
        return self.look(ty) or _is_type("the type of a value", ty, self.known)

    def look(self, ty: Type) -> str | None:
        """Find the kinds of ``ty`` and its parts; return the first fault there is.

        Complexity:
            Linear in the parts not looked at before; no recursion.
        """
        known = self.known
        for part in TYPES.post_order(ty, lambda part: part not in known):
            if part not in known:
                problem: str | None = KIND_RULES[type(part)](part, known, self._definitions)
                if problem is not None:
                    return problem
                known[part] = _KIND[type(part)](part)
        return None


def _is_type(what: str, ty: Type, kinds: Known) -> str | None:
    kind = kinds[ty]
    if kind is TypeKind.Type:
        return None
    return f"{what} must be a type; {_name(ty)} is of kind {kind.name}"


def _check_types(what: str, types: tuple[Type, ...], kinds: Known) -> str | None:
    problems = (_is_type(f"{what} {index}", ty, kinds) for index, ty in enumerate(types))
    return next((problem for problem in problems if problem is not None), None)


def _func_type(ty: FuncType, kinds: Known, _: Definitions) -> str | None:
    for constraint in ty.type_constraints:
        if kinds[constraint] is not TypeKind.Constraint:
            return f"{_name(constraint)} is no constraint, so no function type can demand it"
    problem = _check_types("argument", ty.arg_types, kinds)
    return problem or _is_type("the result of a function", ty.ret_type, kinds)


def _type_call(ty: TypeCall, kinds: Known, definitions: Definitions) -> str | None:
    if not isinstance(ty.func, GlobalTypeVar) or kinds[ty.func] is not TypeKind.AdtHandle:
        return f"only type definitions take arguments; {_name(ty.func)} is none"
    data, name = definitions.get(ty.func), ty.func.name_hint
    if data is None:  # another node of that name, as operators have for types of the prelude
        data = next((item for var, item in definitions.items() if var.name_hint == name), None)
    if data is None:
        known = [header.name_hint for header in definitions]
        advice = suggest(name, known) or "; put its definition there: mod.with_type(...)"
        return f"type {name} is not defined in the module{advice}"
    if len(data.type_vars) != len(ty.args):
        return (
            f"type {ty.func.name_hint} is given {len(ty.args)} arguments; "
            f"its definition has {len(data.type_vars)} parameters"
        )
    return _check_types(f"argument of {ty.func.name_hint}", ty.args, kinds)


def _type_data(ty: TypeData, _: Known, definitions: Definitions) -> str | None:
    if ty.header.kind is not TypeKind.AdtHandle:
        return f"a type definition is headed by an AdtHandle; {_name(ty.header)} is of another kind"
    known = {**definitions, ty.header: ty}
    for constructor in ty.constructors:
        if constructor.belong_to is not ty.header:
            other = constructor.belong_to.name_hint
            return f"constructor {constructor.name_hint} belongs to {other}, not to {_name(ty)}"
        for given in constructor.inputs:
            problem = Kinds(known).problem(given)
            if problem is not None:
                return f"field of {constructor.name_hint}: {problem}"
    return None


def _relation(ty: TypeRelation, kinds: Known, _: Definitions) -> str | None:
    if ty.num_inputs > len(ty.args):
        return f"relation {ty.func} has {ty.num_inputs} inputs and {len(ty.args)} arguments"
    return _check_types(f"argument of relation {ty.func}", ty.args, kinds)


def _check_held_types(ty: Type, kinds: Known, _: Definitions) -> str | None:
    """Find the fault of a type all of whose parts have to be types."""
    for declared in TYPES.fields(type(ty)):
        if declared.binder:
            continue
        what = f"{declared.name} of a {_describe(type(ty))}"
        held = cast("list[Type]", nodes_held(declared, ty))
        for index, part in enumerate(held):
            name = f"item {index} of {what}" if declared.holds_many else what
            problem = _is_type(name, part, kinds)
            if problem is not None:
                return problem
    return None


def _describe(kind: type[Node]) -> str:
    return kind.visit_name.replace("_", " ")


def _name(ty: Type) -> str:
    if isinstance(ty, TypeData):
        return ty.header.name_hint
    return str(getattr(ty, "name_hint", type(ty).__name__))


KIND_RULES: Final[KindTable[KindRule]] = KindTable(
    "kind checking",
    "relay.analysis.KIND_RULES",
    {
        Type: _check_held_types,
        TupleType: lambda ty, kinds, _: _check_types("field", ty.fields, kinds),
        RefType: lambda ty, kinds, _: _is_type("what a reference holds", ty.value, kinds),
        FuncType: _func_type,
        TypeCall: _type_call,
        TypeData: _type_data,
        TypeRelation: _relation,
    },
)
"""What is demanded of types of each kind; where nothing else is said, that they hold types."""


def _kind_of(kind: type[Node]) -> Callable[..., TypeKind]:
    """Return what tells the kind of types of a class: a field may say it."""
    if any(f.accepts == (TypeKind,) for f in kind.fields_):
        return lambda ty: ty.kind
    if kind is TypeData:
        return lambda _: TypeKind.TypeData
    if issubclass(kind, TypeConstraint):
        return lambda _: TypeKind.Constraint
    return lambda _: TypeKind.Type


_KIND: Final = ByKind(_kind_of)
