"""Defunctionalisation: values of data types in the place of functions.

Each type of functions becomes a data type with a constructor for every function of that type, which
holds what the function captures; and a function that applies such a value::

    type fn_0 { closure_0(int32), closure_1 }
    def @apply_0(%f: fn_0, %x: int32) -> int32 {
      match (%f) {
        closure_0(%captured) => { @lifted_name1(%x, %captured) },
        closure_1 => { @lifted_name2(%x) },
      }
    }
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from relayish.analysis.function_types import has_function_type
from relayish.errors import DeclarationError, PassError
from relayish.functor import MixedModeMutator, TypeMutator
from relayish.ir.equality.exact_key import make_exact_key
from relayish.ir.fields.roles import Runs
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.kind_table import MadeTable
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay import adt
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.function_attributes import is_closure, is_primitive
from relayish.ir.relay.global_var_supply import GlobalVarSupply
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, GlobalTypeVar, Type, TypeCall
from relayish.ir.scopes.name_supply import NameSupply
from relayish.ir.scopes.scoping import evaluated, scopes


def _passes_on(kind: type[Node], passes: bool) -> bool:
    """Return what is said of a kind; refuse one whose nodes are functions themselves."""
    deferred = [f.name for f in kind.fields_ if f.runs is Runs.DEFERRED]
    if deferred:
        raise DeclarationError(
            f"{kind.__name__}.{deferred[0]} is a deferred scope, so its nodes are functions "
            f"themselves; make functions of them before functions become data"
        )
    return passes


FUNCTION_PASSING: Final[MadeTable[bool, bool]] = MadeTable(
    "defunctionalization",
    "relay.transform.FUNCTION_PASSING",
    _passes_on,
    dict.fromkeys(
        (Constant, Let, If, adt.Match, Tuple, TupleGetItem, RefCreate, RefRead, RefWrite), True
    ),
)
"""Kinds that make no functions and call none: what comes out went in, as with a branch.

Of kinds that packages declare it is not known whether they call functions that they are given, or
make some of their own; where such a node has to do with functions, ``Defunctionalization`` refuses,
unless ``True`` is registered for the kind."""


def check_kinds(function: Expr) -> None:
    """Raise unless it is known what the nodes of a typed function do with functions.

    Raises:
        UnknownKindError: Naming a kind that has to do with functions and is not registered.
        PassError: Naming a kind whose nodes are functions.
    """
    known = (_ENCODED, VARIABLES, FUNCTION_PASSING)
    for node in EXPRESSIONS.post_order(function):
        if any(type(node) in kinds for kinds in known) or not isinstance(node, Expr):
            continue
        around = (node, *evaluated(node))
        if any(
            type(each) is GlobalVar or has_function_type(getattr(each, "checked_type", None))
            for each in around
        ):
            if any(scope.runs is Runs.DEFERRED for scope in scopes(node)):
                raise PassError(
                    f"{describe(node)} is a function of a kind of its own, for which no data can "
                    f"stand; put a Function in its place before functions become data"
                )
            FUNCTION_PASSING[type(node)]


_ENCODED: Final = frozenset({Call, Function, GlobalVar, Op, adt.Constructor})
"""The kinds that make functions, call or name them, which become data and its applications."""


class _Data:
    """The data type for the functions of one type."""

    def __init__(self, header: GlobalTypeVar, apply: GlobalVar, ty: FuncType) -> None:
        self.header = header
        self.apply = apply
        self.ty = ty
        self.constructors: dict[str, tuple[adt.Constructor, GlobalVar]] = {}
        """By the name of the function: what stands for it, and its name."""


class Encoding(TypeMutator):
    """The data types that stand for types of functions, made when first asked for."""

    remembers = True

    def __init__(self, mod: IRModule) -> None:
        self._mod = mod
        self._globals = GlobalVarSupply(mod)
        self._types = NameSupply(taken=[name.name_hint for name in mod.type_definitions])
        self._constructors = NameSupply(
            taken=[c.name_hint for data in mod.type_definitions.values() for c in data.constructors]
        )
        self.data: dict[Hashable, _Data] = {}
        """By the structure of the type: its text depends on which parts are shared."""
        self._number = 0

    def visit_func_type(self, func_type: FuncType) -> Type:
        return TypeCall(self.of(func_type).header, ())

    def of(self, ty: FuncType) -> _Data:
        """Return the data type for functions of type ``ty``."""
        if ty.type_params:
            raise PassError(f"a function of the polymorphic type {ty} is used as a value")
        key = make_exact_key(ty)
        if key not in self.data:
            number = len(self.data)
            header = GlobalTypeVar(self._types.fresh_name(f"fn_{number}"))
            apply = self._globals.fresh_global(f"apply_{number}", add_prefix=False)
            self.data[key] = _Data(header, apply, ty)
        return self.data[key]

    def value(self, ty: FuncType, name: GlobalVar, captured: tuple[Type, ...]) -> adt.Constructor:
        """Return the constructor that stands for the function ``name``, of type ``ty``."""
        data = self.of(ty)
        if name.name_hint not in data.constructors:
            text = self._constructors.fresh_name(f"closure_{self._number}")
            self._number += 1
            constructor = adt.Constructor(text, tuple(map(self.visit, captured)), data.header)
            data.constructors[name.name_hint] = (constructor, name)
        return data.constructors[name.name_hint][0]

    def definitions(self) -> tuple[list[adt.TypeData], dict[GlobalVar | str, Expr]]:
        """Return the data types, and the functions that apply their values."""
        functions: dict[GlobalVar | str, Expr] = {}
        done = 0
        while done < len(self.data):  # types of parameters may ask for more
            data = list(self.data.values())[done]
            functions[data.apply] = self._apply(data)
            done += 1
        types = [
            adt.TypeData(data.header, (), tuple([made for made, _ in data.constructors.values()]))
            for data in self.data.values()
        ]
        return types, functions

    def _apply(self, data: _Data) -> Function:
        value = Var("f", TypeCall(data.header, ()))
        params = tuple([Var("x", self.visit(ty)) for ty in data.ty.arg_types])
        clauses = []
        for constructor, name in data.constructors.values():
            captured = tuple([Var("captured", ty) for ty in constructor.inputs])
            pattern = adt.PatternConstructor(constructor, tuple(map(adt.PatternVar, captured)))
            clauses.append(adt.Clause(pattern, Call(name, (*params, *captured))))
        body = adt.Match(value, tuple(clauses), complete=bool(clauses))
        return Function((value, *params), body, self.visit(data.ty.ret_type))


class Encoder(MixedModeMutator):
    """Puts values in the place of functions in one function, and applications in that of calls.

    Args:
        mod: A typed module without polymorphic functions and without functions inside others, but
            for closures.
        encoding: The data types that stand for functions.
        values: The names that the function uses without calling them.
    """

    remembers = True  # parameters and bodies are visited apart

    def __init__(self, mod: IRModule, encoding: Encoding, values: frozenset[str]) -> None:
        self._mod = mod
        self._encoding = encoding
        self._values = values

    def encode(self, function: Function) -> Function:
        """Return the function without functions as values.

        A closure, which returns a function, becomes one that takes the parameters of both.
        """
        function = flatten(function)
        ret_type = None if function.ret_type is None else self.visit_type(function.ret_type)
        return function.with_fields(
            params=self.mutate_all(function.params),  # type: ignore[arg-type]  # variables
            body=self.visit(function.body),
            ret_type=ret_type,
        )

    def visit_type(self, ty: Type) -> Type:
        return self._encoding.visit(ty)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        op = pre.op
        if type(op) is GlobalVar:
            function = self._mod[op]
            if not is_closure(function):
                return self._call_by_name(pre, post)
            return Call(self._make_constructor(op), post.args, span=pre.span)
        if type(op) is Call and type(op.op) is GlobalVar and is_closure(self._mod[op.op]):
            assert isinstance(post.op, Call)
            return Call(op.op, (*post.args, *post.op.args), span=pre.span)
        if type(op) is Op or type(op) is adt.Constructor or is_primitive(op):
            return post
        ty = op.checked_type
        assert isinstance(ty, FuncType), "a call in a typed module is of a function"
        return Call(self._encoding.of(ty).apply, (post.op, *post.args), span=pre.span)

    @staticmethod
    def _call_by_name(pre: Call, post: Call) -> Call:
        if post is pre and has_function_type(pre.checked_type):
            # what it returns was a function, and is data now
            return Call(pre.op, pre.args, pre.attrs, pre.type_args, span=pre.span)
        if post.op is pre.op:
            return post
        if post.args is pre.args and not has_function_type(pre.checked_type):
            return pre
        return post.with_fields(op=pre.op)

    def rewrite_global_var(self, pre: GlobalVar, post: GlobalVar) -> Expr:
        """Return the value that stands for a function; where it is called this plays no part."""
        if pre.name_hint not in self._values:
            return post
        return Call(self._make_constructor(pre), (), span=pre.span)

    def _make_constructor(self, name: GlobalVar) -> adt.Constructor:
        """Return the constructor that stands for a function, or for what a closure returns."""
        function: Expr = self._mod[name]
        assert isinstance(function, Function)
        captured: tuple[Type, ...] = ()
        if is_closure(function):
            captured = _types_of(function)
            function = function.body
        assert isinstance(function, Function)
        assert function.ret_type is not None
        ty = FuncType(_types_of(function), function.ret_type)
        return self._encoding.value(ty, self._mod.get_global_var(name.name_hint), captured)

    def rewrite_constructor(self, pre: adt.Constructor, post: adt.Constructor) -> Expr:
        if any(map(has_function_type, pre.inputs)):
            raise PassError(
                f"the constructor {pre.name_hint} holds functions by its definition; give its type "
                f"a parameter in their place"
            )
        return post

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        if is_primitive(pre):
            return post
        raise PassError(f"a function of another compiler stands inside another one: {pre!r}")


def _types_of(function: Function) -> tuple[Type, ...]:
    types = [param.type_annotation for param in function.params]
    return tuple([ty for ty in types if ty is not None])


def flatten(function: Function) -> Function:
    """Return ``function``; if it is a closure, one that takes what it and its result take."""
    inner = function.body
    if not is_closure(function) or not isinstance(inner, Function):
        return function
    return inner.with_fields(params=(*inner.params, *function.params))
