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
from typing import Any, Final
from typing import TypeVar as PythonTypeVar

from relayish.analysis.infer_type import infer_type
from relayish.analysis.marks import is_primitive
from relayish.errors import PassError
from relayish.functor import ExprMutator, TypeMutator
from relayish.ir.node import SYMBOLS, Node
from relayish.ir.relay.adt import Clause, Constructor, Match, PatternVar
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, If, Let, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS, PATTERNS
from relayish.ir.relay.type import FuncType, Type, TypeVar
from relayish.passes.normal_form.functions import own_functions
from relayish.passes.to_a_normal_form import to_a_normal_form

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
    own = {name: func for name, func in own_functions(program) if not is_primitive(func)}
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
        return _returning(program, program)
    own = dict(own_functions(program))
    taken = {name.name_hint for name in program.functions}
    names: dict[GlobalVar, GlobalVar] = {}
    for name, func in own.items():
        if not is_primitive(func):
            fresh = f"{name.name_hint}_cps"
            while fresh in taken:
                fresh += "_"
            taken.add(fresh)
            names[name] = GlobalVar(fresh)
    renaming = _Renaming()
    for name, renamed in names.items():
        renaming.memo_map[name] = renamed
    functions: dict[GlobalVar | str, Expr] = {
        names.get(name, name): renaming.visit(func)
        for name, func in program.functions_of(Expr).items()
    }
    for name, renamed in names.items():
        functions[name] = _returning(own[name], renamed)
    return program.with_functions(functions)


def _refuse_globals(func: Function) -> None:
    for node in EXPRESSIONS.pre_order(func):
        if type(node) is GlobalVar:
            raise PassError(
                f"@{node.name_hint}{_at(node)} is a function of a module, and converted only with "
                f"all of it; use to_cps(mod)"
            )


class _Renaming(ExprMutator):
    """Replaces what is put into its memo beforehand."""


def _returning(func: Function, callee: Expr) -> Function:
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

    def __init__(self, answer: TypeVar) -> None:
        self._answer = answer

    def visit_func_type(self, ty: FuncType) -> Type:
        args = self.mutate_all(ty.arg_types)
        kept = FuncType((self.visit(ty.ret_type),), self._answer)
        return ty.with_fields(arg_types=(*args, kept), ret_type=self._answer)


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
        self._answer = TypeVar("answer")
        self._types = _Types(self._answer)
        self._vars: dict[Var, Var] = {}
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
        return image.with_fields(type_params=(*func.type_params, self._answer))

    # Finding blocks, from outside

    def _open(self, expr: Expr, kept: Var) -> _Block:
        block = _Block(expr, kept)
        self._blocks.append(block)
        return block

    def _open_function(self, func: Function) -> None:
        for param in func.params:
            self._rename(param)
        result = func.ret_type
        kept = FuncType((self._type(result),), self._answer) if result is not None else None
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
                for var in _bound(clause):
                    self._rename(var)
            self._inner[value] = tuple([self._open(c.rhs, kept) for c in value.clauses])

    def _rename(self, var: Var, *, typed: bool = True) -> None:
        """Give ``var`` its image; with a type where a function will take it as parameter."""
        shared = var.may_share
        if shared is not None:
            shared = self._vars.get(shared, shared)
        ty = var.type_annotation
        image = self._type(ty) if typed and ty is not None else None
        self._vars[var] = Var(var.name_hint, image, shared, span=var.span)

    def _type(self, ty: Type) -> Type:
        return self._types.visit(ty)

    # Converting blocks, from inside

    def _close(self, block: _Block) -> None:
        image: Expr = Call(block.kept, (self._name(block.result),))
        for let in reversed(block.chain):
            convert = _CONVERT.get(type(let.value))
            image = self._simple(let, image) if convert is None else convert(self, let, image)
        block.image = image

    def _simple(self, let: Let, rest: Expr) -> Expr:
        """Return a let of what is evaluated without calling functions."""
        value = let.value
        rebuild = EXPRESSIONS.rebuild[type(value)]
        image = value if rebuild is None else rebuild(value, lambda name, _: self._name(name))
        return Let(self._vars[let.var], image, rest, span=let.span)

    def _atom(self, let: Let, rest: Expr) -> Expr:
        name = let.value
        value = self._callee(name) if let.var in self._direct else self._name(name)
        return Let(self._vars[let.var], value, rest, span=let.span)

    def _let_function(self, let: Let, rest: Expr) -> Expr:
        func = let.value
        assert type(func) is Function
        value = func if is_primitive(func) else self._function(func)
        return Let(self._vars[let.var], value, rest, span=let.span)

    def _call(self, let: Let, rest: Expr) -> Expr:
        call = let.value
        assert type(call) is Call
        args = tuple([self._name(arg) for arg in call.args])
        if self._is_direct(call.op):
            image = call.with_fields(op=self._callee(call.op), args=args, type_args=())
            return Let(self._vars[let.var], image, rest, span=let.span)
        kept = self._continuation(let, rest)
        return Call(self._name(call.op), (*args, kept), span=call.span)

    def _let_if(self, let: Let, rest: Expr) -> Expr:
        value = let.value
        assert type(value) is If
        true, false = self._inner[value]
        image = If(self._name(value.cond), true.image, false.image, span=value.span)
        return Let(self._kept[let], self._continuation(let, rest), image, span=let.span)

    def _let_match(self, let: Let, rest: Expr) -> Expr:
        value = let.value
        assert type(value) is Match
        clauses: list[Clause] = []
        for clause, block in zip(value.clauses, self._inner[value], strict=True):
            renaming = _Renaming()
            renaming.memo_map.update({var: self._vars[var] for var in _bound(clause)})
            lhs: Any = renaming.visit(clause.lhs)  # type: ignore[arg-type]  # a pattern
            clauses.append(clause.with_fields(lhs=lhs, rhs=block.image))
        image = value.with_fields(data=self._name(value.data), clauses=tuple(clauses))
        return Let(self._kept[let], self._continuation(let, rest), image, span=let.span)

    def _continuation(self, let: Let, rest: Expr) -> Function:
        return Function((self._vars[let.var],), rest, self._answer, span=let.span)

    def _function(self, func: Function) -> Function:
        (block,) = self._inner[func]
        params = (*[self._vars[param] for param in func.params], block.kept)
        return func.with_fields(params=params, body=block.image, ret_type=self._answer)

    def _is_direct(self, callee: Expr) -> bool:
        if type(callee) is GlobalVar:
            return callee not in self._globals
        return type(callee) in (Op, Constructor) or callee in self._direct

    def _callee(self, name: Expr) -> Expr:
        return self._vars.get(name, name) if type(name) is Var else name

    def _name(self, name: Expr) -> Expr:
        """Return what is used in the place of a name."""
        if type(name) is Var and name not in self._direct:
            return self._vars.get(name, name)
        if type(name) is GlobalVar and not self._is_direct(name):
            return name
        what = getattr(name, "name_hint", getattr(name, "name", ""))
        raise PassError(
            f"{what}{_at(name)} is used as a value, but takes no continuation; the pass EtaExpand "
            f"makes functions of operators, constructors and global functions"
        )


def _bound(clause: Clause) -> list[Var]:
    return [part.var for part in PATTERNS.pre_order(clause.lhs) if type(part) is PatternVar]


# Any: a let whose value is of the kind
_CONVERT: Final[dict[type[Node], Callable[[_Converter, Any, Expr], Expr]]] = {
    **dict.fromkeys(SYMBOLS, _Converter._atom),  # noqa: SLF001 - the table behind this class
    Function: _Converter._let_function,  # noqa: SLF001
    Call: _Converter._call,  # noqa: SLF001
    If: _Converter._let_if,  # noqa: SLF001
    Match: _Converter._let_match,  # noqa: SLF001
}


def _at(node: Expr) -> str:
    return f" at {node.span}" if node.span is not None else ""
