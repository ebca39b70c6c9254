"""Conversion to continuation-passing style of one function, by rules open to any kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish.analysis.function_types import has_function_type
from relayish.errors import PassError
from relayish.functor import TypeMutator
from relayish.ir.fields.naming import name_of
from relayish.ir.nodes.kind_table import MadeTable
from relayish.ir.nodes.node import SYMBOLS, VARIABLES, Node
from relayish.ir.nodes.span import at_span
from relayish.ir.relay.adt import Clause, Constructor, Match
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
from relayish.ir.relay.function_attributes import is_primitive
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, Type, TypeVar
from relayish.ir.scopes.replacing import rename_pattern
from relayish.ir.scopes.scoping import binders, has_scopes, operands, scopes


class _Types(TypeMutator):
    """Gives types of functions their continuations."""

    remembers = True

    def __init__(self, answer: TypeVar) -> None:
        self.answer = answer

    def visit_func_type(self, ty: FuncType) -> Type:
        args = self.mutate_all(ty.arg_types)
        kept = FuncType((self.visit(ty.ret_type),), self.answer)
        return ty.with_fields(arg_types=(*args, kept), ret_type=self.answer)


class _Block:
    """A chain of lets, and the variable of the continuation that takes its result."""

    __slots__ = ("chain", "image", "kept", "result")

    def __init__(self, expr: Expr, kept: Var) -> None:
        self.chain: list[Let] = []
        while type(expr) is Let:
            self.chain.append(expr)
            expr = expr.body
        self.result = expr
        self.kept = kept
        self.image: Expr = expr


class Converter:
    """Converts one typed function in A-normal form; ``globals_`` are those converted with it."""

    def __init__(self, globals_: frozenset[GlobalVar]) -> None:
        self._globals = globals_
        self.answer = TypeVar("answer")
        self._types = _Types(self.answer)
        self._vars: dict[Expr, Var] = {}
        self._direct: set[Expr] = set()  # variables of what is called as it is
        self._inner: dict[Node, tuple[_Block, ...]] = {}
        self._kept: dict[Let, Var] = {}  # what takes the value of a let with blocks
        self._blocks: list[_Block] = []

    def function(self, func: Function) -> Function:
        """Return the function converted, with a type parameter for the answer."""
        self._open_function(func)
        at = 0
        while at < len(self._blocks):  # it grows: blocks within come behind those around them
            for let in self._blocks[at].chain:
                self._enter(let)
            at += 1
        for block in reversed(self._blocks):
            self._close(block)
        image = self._function(func)
        return image.with_fields(type_params=(*func.type_params, self.answer))

    # Finding blocks, from outside

    def _open(self, expr: Expr, kept: Var) -> _Block:
        block = _Block(expr, kept)
        self._blocks.append(block)
        return block

    def _open_function(self, func: Function) -> None:
        for param in func.params:
            self._rename(param)
        result = func.ret_type
        kept = FuncType((self.type(result),), self.answer) if result is not None else None
        self._inner[func] = (self._open(func.body, Var("k", kept)),)

    def _enter(self, let: Let) -> None:
        value = let.value
        if is_primitive(value) or (type(value) in SYMBOLS and self._is_direct(value)):
            self._direct.add(let.var)
        called = type(value) is Call and not self._is_direct(value.op)
        self._rename(let.var, typed=called or type(value) is If or type(value) is Match)
        if type(value) is Function and not is_primitive(value):
            self._open_function(value)
        elif type(value) is If:
            kept = self._kept[let] = Var("join")
            branches = (value.true_branch, value.false_branch)
            self._inner[value] = tuple([self._open(branch, kept) for branch in branches])
        elif type(value) is Match:
            kept = self._kept[let] = Var("join")
            for clause in value.clauses:
                for var in binders(clause):
                    assert isinstance(var, Expr)
                    self._rename(var)
            self._inner[value] = tuple([self._open(c.rhs, kept) for c in value.clauses])
        elif has_scopes(type(value)) and not is_primitive(value):
            _conversion_of(value)  # or there is no need to go on
            opened = scopes(value)
            for bound in {var: None for scope in opened for var in scope.binders}:
                assert isinstance(bound, Expr)
                self._rename(bound)
            roots = [root for scope in opened for root in scope.roots if isinstance(root, Expr)]
            self._inner[value] = tuple([self._open(root, Var("k")) for root in roots])

    def _rename(self, var: Expr, *, typed: bool = True) -> None:
        """Give ``var`` its image; with a type where a function will take it as parameter."""
        if type(var) is Var:
            name, ty, shared = var.name_hint, var.type_annotation, var.may_share
        else:
            name, ty, shared = name_of(var), var.checked_type, None
        if shared is not None:
            shared = self._vars.get(shared, shared)
        annotation = self.type(ty) if typed and ty is not None else None
        self._vars[var] = Var(name, annotation, shared, span=var.span)

    def type(self, ty: Type) -> Type:
        return self._types.visit(ty)

    def blocks_of(self, node: Node) -> tuple[_Block, ...]:
        """Return the blocks of a node, in order."""
        return self._inner[node]

    def variable(self, var: Expr) -> Var:
        """Return what a variable has become."""
        return self._vars[var]

    # Converting blocks, from inside

    def _close(self, block: _Block) -> None:
        image: Expr = Call(block.kept, (self.name(block.result),))
        for let in reversed(block.chain):
            image = _conversion_of(let.value)(self, let, image)
        block.image = image

    def bind_simple(self, let: Let, rest: Expr) -> Expr:
        """Return a let of what is evaluated without calling functions."""
        value = let.value
        image = EXPRESSIONS.rebuild[type(value)](value, lambda name, _: self.name(name))
        return Let(self._vars[let.var], image, rest, span=let.span)

    def atom(self, let: Let, rest: Expr) -> Expr:
        name = let.value
        value = self._callee(name) if let.var in self._direct else self.name(name)
        return Let(self._vars[let.var], value, rest, span=let.span)

    def let_function(self, let: Let, rest: Expr) -> Expr:
        func = let.value
        assert type(func) is Function
        value = func if is_primitive(func) else self._function(func)
        return Let(self._vars[let.var], value, rest, span=let.span)

    def call(self, let: Let, rest: Expr) -> Expr:
        call = let.value
        assert type(call) is Call
        args = tuple([self.name(arg) for arg in call.args])
        if self._is_direct(call.op):
            image = call.with_fields(op=self._callee(call.op), args=args, type_args=())
            return Let(self._vars[let.var], image, rest, span=let.span)
        kept = self.continuation(let, rest)
        return Call(self.name(call.op), (*args, kept), span=call.span)

    def let_if(self, let: Let, rest: Expr) -> Expr:
        value = let.value
        assert type(value) is If
        true, false = self._inner[value]
        image = If(self.name(value.cond), true.image, false.image, span=value.span)
        return Let(self._kept[let], self.continuation(let, rest), image, span=let.span)

    def let_match(self, let: Let, rest: Expr) -> Expr:
        value = let.value
        assert type(value) is Match
        clauses: list[Clause] = []
        for clause, block in zip(value.clauses, self._inner[value], strict=True):
            lhs = rename_pattern(clause.lhs, self._vars)
            clauses.append(clause.with_fields(lhs=lhs, rhs=block.image))
        image = value.with_fields(data=self.name(value.data), clauses=tuple(clauses))
        return Let(self._kept[let], self.continuation(let, rest), image, span=let.span)

    def continuation(self, let: Let, rest: Expr) -> Function:
        return Function((self._vars[let.var],), rest, self.answer, span=let.span)

    def _function(self, func: Function) -> Function:
        (block,) = self._inner[func]
        params = (*[self._vars[param] for param in func.params], block.kept)
        return func.with_fields(params=params, body=block.image, ret_type=self.answer)

    def _is_direct(self, callee: Expr) -> bool:
        if type(callee) is GlobalVar:
            return callee not in self._globals
        return type(callee) in (Op, Constructor) or callee in self._direct

    def _callee(self, name: Expr) -> Expr:
        return self._vars.get(name, name)

    def name(self, name: Expr) -> Expr:
        """Return what is used in the place of a name."""
        if type(name) in VARIABLES and name not in self._direct:
            return self._vars.get(name, name)
        if type(name) is GlobalVar and not self._is_direct(name):
            return name
        what = getattr(name, "name_hint", getattr(name, "name", ""))
        raise PassError(
            f"{what}{at_span(name)} is used as a value, but takes no continuation; the pass "
            f"EtaExpand makes functions of operators, constructors and global functions"
        )


class Conversion:
    """What the rule of a kind knows of a node, which a let binds, while it is converted.

    Attributes:
        answer: The type that everything returns.
        rest: What is to happen with the value of the node: a function of one parameter. Where it
            is needed more than once, a let should bind it.
    """

    __slots__ = ("_converter", "_node", "answer", "rest")

    def __init__(self, converter: Converter, let: Let, rest: Expr) -> None:
        self._converter = converter
        self._node = let.value
        self.answer = converter.answer
        self.rest = converter.continuation(let, rest)

    def name(self, operand: Expr) -> Expr:
        """Return what is used in the place of an operand, which is a name in A-normal form."""
        return self._converter.name(operand)

    def variable(self, binder: Expr) -> Var:
        """Return what a variable that the node binds has become."""
        return self._converter.variable(binder)

    def type(self, ty: Type) -> Type:
        """Return a type with continuations for the functions in it."""
        return self._converter.type(ty)

    def block(self, number: int) -> tuple[Expr, Var]:
        """Return what became of a root of the scopes of the node, and of its continuation.

        The expression calls the variable with its result; a let around it should bind that to a
        function of one parameter.
        """
        block = self._converter.blocks_of(self._node)[number]
        return block.image, block.kept


CpsRule: TypeAlias = Callable[[Any, Conversion], Expr]  # Any: a node of the kind
"""``rule(node, conversion)``: what evaluates the node and then calls ``conversion.rest`` with its
value; see :class:`Conversion`."""


_Convert: TypeAlias = Callable[[Converter, Any, Expr], Expr]  # Any: a let of such a node


def _convert_by(rule: CpsRule) -> _Convert:
    """Return what asks the rule of a package's kind."""
    return lambda converter, let, rest: rule(let.value, Conversion(converter, let, rest))


CPS_RULES: Final[MadeTable[_Convert, CpsRule]] = MadeTable(
    "continuation-passing style",
    "relay.transform.CPS_RULES",
    lambda _, rule: _convert_by(rule),
    {
        Function: Converter.let_function,
        Call: Converter.call,
        If: Converter.let_if,
        Match: Converter.let_match,
        **dict.fromkeys(
            (Constant, Tuple, TupleGetItem, RefCreate, RefRead, RefWrite), Converter.bind_simple
        ),
    },
)
"""How nodes of a kind are converted.

Those that have no scopes, and nothing to do with functions, stay as they are where no rule says
otherwise."""


def _is_simple(value: Expr) -> bool:
    """Return whether nothing in ``value`` is called, or has to do with functions."""
    if has_scopes(type(value)):
        return False
    around = (value, *operands(value))
    return not any(has_function_type(getattr(each, "checked_type", None)) for each in around)


def _conversion_of(value: Expr) -> _Convert:
    kind = type(value)
    if kind in SYMBOLS:
        return Converter.atom
    if not CPS_RULES.knows(kind) and _is_simple(value):
        return Converter.bind_simple
    return CPS_RULES[kind]
