"""Monomorphisation: a copy of each polymorphic function for every choice of types."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from operator import is_
from typing import Final

from relayish.analysis import free_type_vars, infer_type
from relayish.analysis.infer_type.unifier import substitute
from relayish.errors import PassError, TypeInferenceError
from relayish.functor import MixedModeMutator, TypeMutator
from relayish.ir.equality.exact_key import make_exact_key
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar
from relayish.ir.relay.function_attributes import is_opaque
from relayish.ir.relay.global_var_supply import GlobalVarSupply
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS, TYPES
from relayish.ir.relay.type import FuncType, IncompleteType, Type, TypeVar
from relayish.ir.scopes.renaming import rename_bound

_LIMIT: Final = 256
"""How many copies of one function there may be; more are taken for endless ones."""


def with_single_types(mod: IRModule) -> IRModule:
    """Return ``mod``, typed, with a single type for each function inside another one.

    Where they are used at several, each call gets functions of its own.

    Raises:
        PassError: If one of them is used at several types all the same.

    Complexity:
        Linear in the nodes where they are used at one type each; else in uses, of which a function
        has as many as what uses it has, times its own.
    """
    try:
        return _with_single_types(mod, apart=False)
    except TypeInferenceError:
        return _with_functions_apart(mod)


def _with_functions_apart(mod: IRModule) -> IRModule:
    try:
        return _with_single_types(mod, apart=True)
    except TypeInferenceError as error:
        raise PassError(
            f"a function inside another one is used at several types, or at one that cannot be "
            f"told: {error}; make it a function of the module"
        ) from error


def _with_single_types(mod: IRModule, *, apart: bool) -> IRModule:
    changed: dict[GlobalVar | str, Expr] = {}
    for name, shared in mod.functions_of(Expr).items():
        function = _Apart().visit(shared) if apart else shared
        inner = {
            type_var: IncompleteType()
            for node in EXPRESSIONS.pre_order(function)
            if type(node) is Function and node is not function
            for type_var in node.type_params
        }
        if inner and isinstance(function, Function):
            changed[name] = _OneType(function, inner).visit(function)
    return infer_type(mod.with_functions(changed))


class _Apart(MixedModeMutator):
    """Gives each call polymorphic functions of its own, which others may take at other types."""

    def rewrite_call(self, pre: Call, post: Call) -> Expr:  # noqa: ARG002 - as all handlers
        args = tuple([_copy_if_polymorphic(each) for each in post.args])
        return post if all(map(is_, args, post.args)) else post.with_fields(args=args)


def _copy_if_polymorphic(expr: Expr) -> Expr:
    if type(expr) is not Function or not expr.type_params:
        return expr
    fresh = {each: TypeVar(each.name_hint, each.kind) for each in expr.type_params}
    return _Retyper(fresh).of(rename_bound(expr)).with_fields(type_params=tuple(fresh.values()))


class _Retyper(MixedModeMutator):
    """Replaces type variables."""

    remembers = True  # parameters and bodies are visited apart

    def __init__(self, types: Mapping[TypeVar, Type]) -> None:
        self._types = types

    def of(self, function: Function) -> Function:
        """Return a function of whose parts the types are replaced."""
        ret_type = function.ret_type
        return function.with_fields(
            params=self.mutate_all(function.params),  # type: ignore[arg-type]  # variables
            body=self.visit(function.body),
            ret_type=None if ret_type is None else self.visit_type(ret_type),
        )

    def visit_type(self, ty: Type) -> Type:
        return substitute(ty, self._types) if self._types else ty


class _OneType(MixedModeMutator):
    """Leaves the types that inner functions take to type inference."""

    def __init__(self, root: Function, unknown: dict[TypeVar, IncompleteType]) -> None:
        self._root = root
        self._unknown = unknown

    def visit_type(self, ty: Type) -> Type:
        if any(type(part) is FuncType and part.type_params for part in TYPES.pre_order(ty)):
            ty = _OfOneType().visit(ty)
        return substitute(ty, self._unknown)

    def visit_function(self, function: Function) -> Expr:
        ret_type = None if function.ret_type is None else self.visit_type(function.ret_type)
        return function.with_fields(
            params=self.mutate_all(function.params),  # type: ignore[arg-type]  # variables
            body=self.visit(function.body),
            ret_type=ret_type,
            type_params=function.type_params if function is self._root else (),
        )

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if type(pre.op) is GlobalVar or type(pre.op) is Constructor or not post.type_args:
            return post
        return post.with_fields(type_args=())


class _OfOneType(TypeMutator):
    """Leaves the types that polymorphic functions are used at to type inference."""

    def visit_func_type(self, func_type: FuncType) -> Type:
        unknown = {type_var: IncompleteType() for type_var in func_type.type_params}
        single = func_type.with_fields(type_params=())
        return self.mutate_children(substitute(single, unknown))


class _Copies:
    """The copies of the functions of a typed module that ``entry`` needs."""

    def __init__(self, mod: IRModule) -> None:
        self._mod = mod
        self._supply = GlobalVarSupply(mod)
        self._names: dict[Hashable, GlobalVar] = {}
        self._count: dict[str, int] = {}
        self._pending: list[tuple[GlobalVar, Function, tuple[Type, ...]]] = []
        self.functions: dict[GlobalVar | str, Expr] = {}

    def of(self, called: GlobalVar, type_args: tuple[Type, ...]) -> GlobalVar:
        """Return the name of the copy of a function for ``type_args``."""
        name = self._mod.get_global_var(called.name_hint)
        definition = self._mod[name]
        if not isinstance(definition, Function):
            raise PassError(f"@{name.name_hint} is no function; found {definition!r}")
        if len(type_args) != len(definition.type_params) or any(map(free_type_vars, type_args)):
            raise PassError(
                f"a call of @{name.name_hint} leaves open at which types; annotate it: "
                f"@{name.name_hint}::[..](..)"
            )
        key = (name.name_hint, make_exact_key(type_args))
        if key not in self._names:
            self._names[key] = self._make_name(name) if type_args else name
            self._pending.append((self._names[key], definition, type_args))
        return self._names[key] if type_args else called

    def _make_name(self, name: GlobalVar) -> GlobalVar:
        number = self._count[name.name_hint] = self._count.get(name.name_hint, 0) + 1
        if number > _LIMIT:
            raise PassError(
                f"@{name.name_hint} is needed at more than {_LIMIT} types; it seems to call "
                f"itself at ever larger ones"
            )
        return self._supply.fresh_global(name.name_hint, add_prefix=False)

    def run(self) -> None:
        """Make the copies that were asked for, and those that these ask for."""
        while self._pending:
            name, function, type_args = self._pending.pop()
            if is_opaque(function):
                self.functions[name] = function
                continue
            types = dict(zip(function.type_params, type_args, strict=True))
            self.functions[name] = _Copier(self, types).of(function).with_fields(type_params=())


class _Copier(_Retyper):
    """Replaces type variables, and calls copies instead of polymorphic functions."""

    def __init__(self, copies: _Copies, types: Mapping[TypeVar, Type]) -> None:
        super().__init__(types)
        self._copies = copies

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if type(pre.op) is not GlobalVar:
            return post
        name = self._copies.of(pre.op, post.type_args)
        return post.with_fields(op=name, type_args=())


def specialise(mod: IRModule, entry: str) -> IRModule:
    """Return ``mod`` with the functions ``entry`` needs, none of them polymorphic, and typed.

    Args:
        mod: A typed module; its polymorphic functions are only called, and its inner functions
            are of one type each.
        entry: The name of a function.

    Raises:
        PassError: If a call does not tell at which types, or there is no end to the types.
    """
    copies = _Copies(mod)
    copies.of(mod.get_global_var(entry), ())
    copies.run()
    needed = copies.functions
    unused = [name for name in mod.functions_of(Expr) if name not in needed]
    return infer_type(mod.with_functions(needed).without_functions(unused))
