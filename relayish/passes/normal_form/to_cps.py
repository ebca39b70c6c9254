"""Continuation-passing style: no function returns, each calls what is to happen next.

Before::

    fn (%x: int32) -> int32 { let %y = %f(%x); add(%y, 1) }

After::

    fn [answer](%x: int32, %k: fn (int32) -> answer) -> answer {
        %f(%x, fn (%y: int32) -> answer { let %z = add(%y, 1); %k(%z) })
    }
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias
from typing import TypeVar as PythonTypeVar

from relayish.analysis.function_types import has_function_type
from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.functor import ExprMutator, TypeMutator
from relayish.ir.kind_table import MadeTable
from relayish.ir.naming import name_of
from relayish.ir.node import SYMBOLS, VARIABLES, Node
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
from relayish.ir.relay.global_var_supply import GlobalVarSupply
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, Type, TypeVar
from relayish.ir.replacing import rename_pattern
from relayish.ir.scoping import binders, has_scopes, operands, scopes
from relayish.ir.span import at_span
from relayish.passes.normal_form.functions import iterate_own_functions
from relayish.passes.normal_form.to_a_normal_form import to_a_normal_form

_Program = PythonTypeVar("_Program", Function, IRModule)


def to_cps(program: _Program) -> _Program:
    """Return a function, or all functions of a module, in continuation-passing style.

    A function takes one parameter more, the continuation that it calls with its result; what that
    returns it returns too. Its type is the last type parameter, ``answer``. Functions that are
    passed, returned or stored are converted with their types. Calls of operators, constructors and
    primitive functions, and of global functions other compilers own, remain as they are.

    Args:
        program: Well-typed; a function that calls global functions is converted with its module.

    Raises:
        PassError: If a function calls a global one, or if an operator or constructor is used as a
            value: ``EtaExpand`` makes functions of these.
        UnknownKindError: If a kind that a package declares has scopes, or to do with functions,
            and no rule; see :func:`CPS_RULES`.
        TypeInferenceError: If the program is ill-typed.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor on what several scopes share; no
        recursion.

    Source:
        Relay ``to_cps``, which evaluates anew what is shared, and adds to the module it is given.

    Example:
        >>> from relayish.text import parse_expr
        >>> func = to_cps(parse_expr("fn (%x: int32) -> int32 { add(%x, 1) }"))
        >>> [param.name_hint for param in func.params]
        ['x', 'k']
    """
    if isinstance(program, Function):
        _refuse_globals(program)
        normal = to_a_normal_form(program)
        assert isinstance(normal, Function)
        return _Converter(frozenset()).function(infer_type(normal))
    converted: dict[GlobalVar | str, Expr] = {}
    own = {name: func for name, func in iterate_own_functions(program) if not is_primitive(func)}
    normal_forms: dict[GlobalVar | str, Expr] = {
        name: to_a_normal_form(func, program) for name, func in own.items()
    }
    typed = infer_type(program.with_functions(normal_forms))
    for name in own:
        func = typed[name]
        assert isinstance(func, Function)
        converted[name] = _Converter(frozenset(own)).function(func)
    return program.with_functions(converted)


def un_cps(program: _Program) -> _Program:
    """Return what :func:`to_cps` made as functions that return: called with the identity.

    Of a module, each function becomes one that calls the converted one, which goes by its name
    followed by ``_cps``.

    Raises:
        PassError: If a function is not one of continuation-passing style.

    Source:
        Relay ``un_cps``.
    """
    if isinstance(program, Function):
        return _make_direct(program, program)
    own = dict(iterate_own_functions(program))
    supply = GlobalVarSupply(program)
    names: dict[GlobalVar, GlobalVar] = {}
    for name, func in own.items():
        if not is_primitive(func):
            names[name] = supply.fresh_global(f"{name.name_hint}_cps", add_prefix=False)
    renaming = _Renaming()
    for name, renamed in names.items():
        renaming.memo_map[name] = renamed
    functions: dict[GlobalVar | str, Expr] = {
        names.get(name, name): renaming.visit(func)
        for name, func in program.functions_of(Expr).items()
    }
    for name, renamed in names.items():
        functions[name] = _make_direct(own[name], renamed)
    return program.with_functions(functions)


def _refuse_globals(func: Function) -> None:
    for node in EXPRESSIONS.pre_order(func):
        if type(node) is GlobalVar:
            raise PassError(
                f"@{node.name_hint}{at_span(node)} is a function of a module, and converted only "
                f"with all of it; use to_cps(mod)"
            )


class _Renaming(ExprMutator):
    """Replaces what is put into its memo beforehand."""

    remembers = True  # functions of a module may share nodes


def _make_direct(func: Function, callee: Expr) -> Function:
    kept = func.params[-1].type_annotation if func.params else None
    if not func.type_params or not isinstance(kept, FuncType) or len(kept.arg_types) != 1:
        raise PassError(
            "un_cps takes functions that to_cps made: with a type parameter for the answer, and a "
            "continuation as last parameter; found another one"
        )
    result = kept.arg_types[0]
    params = [Var(param.name_hint, param.type_annotation) for param in func.params[:-1]]
    value = Var("x", result)
    identity = Function((value,), value, result)
    body = Call(callee, (*params, identity))
    return Function(tuple(params), body, result, func.type_params[:-1], func.attrs)


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


class _Converter:
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

    def __init__(self, converter: _Converter, let: Let, rest: Expr) -> None:
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

_Convert: TypeAlias = Callable[[_Converter, Any, Expr], Expr]  # Any: a let of such a node


def _convert_by(rule: CpsRule) -> _Convert:
    """Return what asks the rule of a package's kind."""
    return lambda converter, let, rest: rule(let.value, Conversion(converter, let, rest))


CPS_RULES: Final[MadeTable[_Convert, CpsRule]] = MadeTable(
    "continuation-passing style",
    "relay.transform.CPS_RULES",
    lambda _, rule: _convert_by(rule),
    {
        Function: _Converter.let_function,
        Call: _Converter.call,
        If: _Converter.let_if,
        Match: _Converter.let_match,
        **dict.fromkeys(
            (Constant, Tuple, TupleGetItem, RefCreate, RefRead, RefWrite), _Converter.bind_simple
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
        return _Converter.atom
    if not CPS_RULES.knows(kind) and _is_simple(value):
        return _Converter.bind_simple
    return CPS_RULES[kind]
