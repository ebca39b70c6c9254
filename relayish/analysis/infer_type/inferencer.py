"""Type inference, bottom-up: the type of every expression from those of its parts.

Expressions are met in post-order on an explicit stack: what binds a variable gives it a type before
its scope is entered. Subprograms that carry types already are not entered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final, cast

import numpy as np

from relayish.analysis.infer_type.environment import Environment
from relayish.analysis.infer_type.rule import (
    ENTER,
    LEAVE,
    TYPE_RULES,
    Entry,
    Inference,
    Step,
    node_under_way,
)
from relayish.analysis.infer_type.solver import operator_type
from relayish.analysis.unmatched_cases import iter_unmatched_cases
from relayish.errors import TypeInferenceError, add_note, suggest
from relayish.ir.fields.naming import display_name
from relayish.ir.kinds.one_line import one_line, quote
from relayish.ir.nodes.node import Node
from relayish.ir.relay import expr as relay
from relayish.ir.relay.adt import Clause, Constructor, Match
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import (
    FuncType,
    IncompleteType,
    RefType,
    TensorType,
    TupleType,
    Type,
    scalar_type,
)
from relayish.ir.values.dtype import element_name

_UNIT: Final = TupleType(())
_BOOL: Final = scalar_type("bool")
_SHOWN_CASES: Final = 3

# what to do where types differ
_ALIKE: Final = "cast or reshape one of them"
_ANNOTATED: Final = "change the annotation, or cast the value"
_CAST: Final = "cast or reshape the argument"
_CONDITION: Final = "compare it with something, or reduce it to one truth value"
_DECLARED: Final = "change the declared result type, or leave it out"
_KEPT: Final = "a reference keeps the type of the value it was made with"


class Inferencer(Environment):
    """Finds the types of expressions; see :mod:`relayish.analysis.infer_type`.

    ``types`` holds what was found, in post-order; types in it may have to be resolved.
    """

    def __init__(self, mod: IRModule | None, globals_: Mapping[str, Type]) -> None:
        """Prepare for definitions of ``mod``.

        Args:
            mod: Where types are defined.
            globals_: The types of global functions by name; looked at when one is mentioned. An
                unknown type stands for a function in which errors were found.
        """
        super().__init__(mod)
        self.type_args: dict[relay.Call, list[Type]] = {}
        self.signatures: dict[relay.Function, FuncType] = {}
        self._mod = mod
        self._globals = globals_
        self._own: dict[str, Type] = {}
        self._fresh = False
        self._constants: dict[tuple[object, ...], Type] = {}
        self._tuples: dict[tuple[Type, ...], TupleType] = {}
        self._instances: dict[tuple[Type, ...], tuple[list[Type], Type]] = {}

    def inference(self, at: relay.Expr) -> Inference:
        """Return what rules of other packages may ask and demand at a node."""
        return Inference(self, at)

    def infer(self, root: relay.Expr) -> None:
        """Put the types of ``root`` and of all below it into ``types``.

        Complexity:
            Linear in distinct nodes and edges, but for what relations of operators look at.
        """
        stack: list[Any] = [root]  # Any: nodes, None before a node to finish, steps to take
        pop, append, extend = stack.pop, stack.append, stack.extend
        types, fresh, leave, enter = self.types, self._fresh, LEAVE, ENTER
        type_of_call = self.type_of_call
        node: Any = root  # Any: as above
        try:
            while stack:
                node = pop()
                if node is None:
                    node = pop()
                    kind = type(node)
                    types[node] = (
                        type_of_call(node) if kind is relay.Call else leave[kind](self, node)
                    )
                    continue
                kind = type(node)
                if kind is relay.Call:
                    if node in types:
                        continue
                    if node.checked_type is not None and not fresh:
                        types[node] = node.checked_type
                        continue
                    append(node)
                    append(None)
                    extend(node.args[::-1])
                    if type(node.op) is not relay.Op:
                        append(node.op)
                elif kind is Step:
                    following = node.run(self, node.node)
                    if following is not None:
                        extend(following)
                elif node not in types:
                    if node.checked_type is not None and not fresh:
                        types[node] = node.checked_type
                        continue
                    steps = enter[kind]
                    if steps is not None:
                        extend(steps(self, node))
                        continue
                    append(node)
                    append(None)
                    push = EXPRESSIONS.push_all[kind]
                    if push is not None:
                        push(node, append, extend)
        except Exception as error:
            add_note(error, self._describe_place(node_under_way(node)))
            raise

    def _describe_place(self, node: object) -> str:
        """Return where an error was met that ends type inference."""
        inside = f" in {self.where}" if self.where else ""
        shown = quote(node) if isinstance(node, Node) else repr(node)
        return f"while inferring the type of {shown}{inside}"

    def start(self, definitions: Sequence[relay.Expr], *, fresh: bool = False) -> None:
        """Begin with other definitions; what is known of operators and types stays.

        Args:
            definitions: What is going to be looked at.
            fresh: Enter what carries types, too.
        """
        self._looked_at, self._surroundings = (definitions, fresh), None
        self._fresh = fresh
        self.forget_sizes()
        self.forget_variables()
        self.type_args.clear()
        self.signatures.clear()
        self.diagnostics.clear()
        self.widened = self.endless = False
        self._own.clear()

    def declare_global(self, name: str, definition: relay.Expr) -> None:
        """Let ``@name`` have the type that the head of its definition says, before it is met."""
        declared = (
            self.declare(definition) if type(definition) is relay.Function else IncompleteType()
        )
        self._own[name] = declared

    def define_global(self, name: str, definition: relay.Expr) -> None:
        """Let ``@name`` have the type that was found for its definition."""
        found, declared = self.types[definition], self._own[name]
        self._own[name] = self.equate(definition, declared, found, f"definition of @{name}")

    def declare(self, func: relay.Function) -> FuncType:
        """Return what the head of ``func`` says of its type, giving its parameters theirs."""
        known = self.signatures.get(func)
        if known is not None:
            return known
        arg_types = tuple([self.declare_var(param) for param in func.params])
        ret_type = self.annotation(func, func.ret_type)
        signature = FuncType(
            arg_types, IncompleteType() if ret_type is None else ret_type, func.type_params
        )
        self.signatures[func] = signature
        return signature

    # what is done before the parts of a node are met

    def enter_function(self, func: relay.Function) -> list[Any]:  # Any: see infer
        self.declare(func)
        return [func, None, func.body]

    def enter_let(self, let: relay.Let) -> list[Any]:  # Any: see infer
        if type(let.value) is relay.Function and let.var not in self.types:
            value = let.value.checked_type
            if value is None or self._fresh:
                annotated = self.annotation(let.var, let.var.type_annotation)
                declared = self.declare(let.value)
                self.types[let.var] = declared if annotated is None else annotated
        return [let, None, let.body, Step(Inferencer._bind_let, let), let.value]

    def _bind_let(self, let: relay.Let) -> None:
        value, declared = self.types[let.value], self.types.get(let.var)
        if declared is None:
            declared = self.annotation(let.var, let.var.type_annotation)
        if declared is None:
            self.types[let.var] = value
            return
        what = f"value of %{let.var.name_hint}"
        self.types[let.var] = self.equate(let.value, declared, value, what, let, _ANNOTATED)

    def enter_match(self, match: Match) -> list[Any]:  # Any: see infer
        steps: list[Any] = [match, None]  # Any: as above
        for clause in reversed(match.clauses):
            bind = Step(Inferencer._bind_clause, _Arm(match, clause))
            steps += [clause.rhs, bind]
        return [*steps, match.data]

    def _bind_clause(self, arm: _Arm) -> None:
        """Give the variables of a clause the types of the parts of the data they stand for."""
        self.bind_pattern(arm.node, arm.clause.lhs, self.types[arm.node.data])

    # the type of a node whose parts have theirs

    def type_of_call(self, call: relay.Call) -> Type:
        types, op, args = self.types, call.op, call.args
        if type(op) is not relay.Op:
            return self._call_value(call)
        if len(args) == 2:
            left, right = args
            found = self._results.get((op, call.attrs, types[left], types[right]))
        else:
            found = self._results.get((op, call.attrs, *[types[arg] for arg in args]))
        if found is not None:
            return found
        return self.apply(call, op, call.attrs, tuple([types[arg] for arg in args]))

    def _call_value(self, call: relay.Call) -> Type:
        args = [self.types[arg] for arg in call.args]
        func = self.find(self.types[call.op])
        if func in self._faulty:
            return func
        if isinstance(func, IncompleteType):
            result = IncompleteType()
            self.equate(call, func, FuncType(tuple(args), result), "what is called")
            return result
        if not isinstance(func, FuncType):
            return self.report(
                call,
                f"{self.show(func)} is called, which is no function; call an operator, a "
                f"constructor or a function",
            )
        if len(func.arg_types) != len(args):
            name = _describe_callee(call.op)
            expected = f"expected {len(func.arg_types)}: {self.show(func)}"
            return self.report(call, f"{name} is called with {len(args)} arguments; {expected}")
        instance_of: tuple[Type, ...] | None = None
        if func.type_params:
            args = [self.find(arg) for arg in args]
            func = cast("FuncType", self.resolve(func))
            if not call.type_args and call.attrs is None and all(map(self.is_told, args)):
                instance_of = (func, *args)
                known = self._instances.get(instance_of)
                if known is not None:
                    self.type_args[call], ret_type = known
                    return ret_type
            func = self._instance(call, func)
        for index, (expected_type, arg) in enumerate(zip(func.arg_types, args, strict=True)):
            if expected_type is arg:
                continue
            found = self._as_argument(call, expected_type, arg)
            what = f"argument {index} of {_describe_callee(call.op)}"
            self.equate(call.args[index], expected_type, found, what, call, _CAST)
        if instance_of is not None:
            self._remember_instance(call, instance_of, func.ret_type)
        return func.ret_type

    def _remember_instance(
        self, call: relay.Call, instance_of: tuple[Type, ...], result: Type
    ) -> None:
        """Keep what a polymorphic function makes of arguments that say all of its type."""
        ret_type = self.resolve(result)
        type_args = [self.resolve(ty) for ty in self.type_args[call]]
        known = self.closed.issuperset(type_args) and ret_type in self.closed
        if known and instance_of[0] in self.closed:
            self._instances[instance_of] = type_args, ret_type

    def _instance(self, call: relay.Call, func: FuncType) -> FuncType:
        """Return the polymorphic ``func`` as ``call`` uses it."""
        given = call.type_args
        if given and len(given) != len(func.type_params):
            self.report(
                call,
                f"{_describe_callee(call.op)} is given {len(given)} type arguments; "
                f"it has {len(func.type_params)} type parameters; leave them out to have them "
                f"inferred",
            )
            given = ()
        type_args = list(given) or [IncompleteType(p.kind) for p in func.type_params]
        self.type_args[call] = type_args
        return self.applied(call, func, type_args, call.attrs)

    def _as_argument(self, call: relay.Call, expected: Type, arg: Type) -> Type:
        """Return ``arg``, a polymorphic function used as one of one type as its instance."""
        wanted, found = self.find(expected), self.find(arg)
        if not isinstance(wanted, FuncType) or not isinstance(found, FuncType):
            return arg
        if not found.type_params or wanted.type_params:
            return arg
        return self.instantiate(call, found)

    def type_of_let(self, let: relay.Let) -> Type:
        return self.types[let.body]

    def type_of_function(self, func: relay.Function) -> Type:
        signature, body = self.signatures[func], self.types[func.body]
        if signature.ret_type is body:
            return signature
        what = "result of the function"
        ret_type = self.equate(func.body, signature.ret_type, body, what, func, _DECLARED)
        if ret_type is signature.ret_type or self.is_faulty(ret_type):
            return signature
        return signature.with_fields(ret_type=ret_type)

    def type_of_if(self, branch: relay.If) -> Type:
        cond, what = self.types[branch.cond], "condition of if"
        self.equate(branch.cond, _BOOL, cond, what, branch, _CONDITION)
        return self.equate(
            branch,
            self.types[branch.true_branch],
            self.types[branch.false_branch],
            "the branches of if have different types",
            advice=_ALIKE,
        )

    def type_of_match(self, match: Match) -> Type:
        result: Type = IncompleteType()
        for clause in match.clauses:
            found = self.types[clause.rhs]
            what = "the arms of match have different types"
            result = self.equate(clause.rhs, result, found, what, advice=_ALIKE)
        if match.complete:
            self._check_cover(match)
        return result

    def _check_cover(self, match: Match) -> None:
        """Report the cases that a match which claims to be complete leaves out."""
        try:
            missing = list(islice(iter_unmatched_cases(match, self._mod), _SHOWN_CASES + 1))
        except TypeInferenceError:
            return  # a pattern does not fit its constructor: told where it is bound
        if missing:
            shown = ", ".join([str(case) for case in missing[:_SHOWN_CASES]])
            more = ", …" if len(missing) > _SHOWN_CASES else ""
            self.report(
                match, f"no clause of match covers {shown}{more}; add one, or write match? instead"
            )

    def type_of_tuple(self, expr: relay.Tuple) -> Type:
        fields = tuple([self.types[item] for item in expr.fields])
        found = self._tuples.get(fields)
        if found is None:
            found = self._tuples[fields] = TupleType(fields)
        return found

    def type_of_projection(self, get: relay.TupleGetItem) -> Type:
        return self.project(get, self.types[get.tuple_value], get.index)

    def type_of_ref_create(self, ref: relay.RefCreate) -> Type:
        return RefType(self.types[ref.value])

    def type_of_ref_read(self, read: relay.RefRead) -> Type:
        return self._cell(read, read.ref)

    def type_of_ref_write(self, write: relay.RefWrite) -> Type:
        inside = self._cell(write, write.ref)
        found = self.types[write.value]
        what = "value written to the reference"
        self.equate(write.value, inside, found, what, write, _KEPT)
        return _UNIT

    def _cell(self, node: relay.Expr, ref: relay.Expr) -> Type:
        """Return the type of what the reference ``ref`` holds."""
        found = self.find(self.types[ref])
        if isinstance(found, RefType):
            return found.value
        if self.is_faulty(found):
            return found
        inside = IncompleteType()
        what = "a reference is needed"
        self.equate(node, RefType(inside), found, what, advice="make one by ref(value)")
        return inside

    def type_of_constant(self, constant: relay.Constant) -> Type:
        data = constant.data
        if isinstance(data, (np.ndarray, np.generic)):
            key = (data.dtype, data.shape)
            found = self._constants.get(key)
            if found is None:
                made = TensorType(data.shape, _dtype_name(data.dtype))
                found = self._constants[key] = self.canonical(made)
            return found
        if isinstance(data, tuple):
            return self._infer_nested(constant, data)
        return self.report(
            constant,
            f"the constant {one_line(constant)} is no tensor, so it has no type; programs compute "
            f"with numbers, arrays and tuples of these",
        )

    def _infer_nested(self, constant: relay.Constant, data: tuple[object, ...]) -> Type:
        """Return the type of a constant tuple of values."""
        done: dict[int, Type] = {}
        stack: list[tuple[object, bool]] = [(data, False)]
        while stack:
            value, finished = stack.pop()
            if not isinstance(value, tuple):
                done[id(value)] = self.type_of_constant(relay.Constant(value, span=constant.span))
            elif finished:
                done[id(value)] = TupleType(tuple(done[id(item)] for item in value))
            else:
                stack.append((value, True))
                stack += [(item, False) for item in value]
        return done[id(data)]

    def type_of_var(self, var: relay.Expr) -> Type:
        """Return the type of a variable that nothing has bound: it is free."""
        known = self.annotation(var, var.type_annotation) if isinstance(var, relay.Var) else None
        known = known or var.checked_type
        if known is not None and not self.where:
            return known
        name, around = display_name(var), self.surroundings
        lacks = "" if known else ", and has no type"
        advice = "bind it, or make it a parameter"
        if around.has_namesake(var):
            advice = f"another variable called {name} is bound: use that one there"
        elif not self.where:
            advice = "annotate it, or bind it"
        user = around.user(var)
        return self.report(
            var,
            f"variable {name} is not bound where it is used{lacks}; {advice}",
            user if isinstance(user, relay.Expr) else None,
        )

    def type_of_global_var(self, name: relay.GlobalVar) -> Type:
        found = self._own.get(name.name_hint)
        if found is None:
            found = self._globals.get(name.name_hint)
            if type(found) is IncompleteType:
                self._faulty.add(found)
        if found is not None:
            return found
        if self._mod is None:
            advice = f"; there is no module: say in which one @{name.name_hint} is"
        else:
            known = [key.name_hint for key in self._mod.functions]
            advice = suggest(name.name_hint, known) or "; define it there: mod.with_function(...)"
        return self.report(name, f"@{name.name_hint} is not defined in the module{advice}")

    def type_of_op(self, op: relay.Op) -> Type:
        try:
            return operator_type(op)
        except TypeInferenceError as error:
            return self.report(op, error)

    def type_of_constructor(self, constructor: Constructor) -> Type:
        return self.constructor_type(constructor, constructor)


class _Arm:
    """A clause, and the match ``node`` it is of."""

    __slots__ = ("clause", "node")

    def __init__(self, node: Match, clause: Clause) -> None:
        self.node = node
        self.clause = clause


for _kind, _entry in {
    relay.Call: Entry(None, Inferencer.type_of_call),
    relay.Constant: Entry(None, Inferencer.type_of_constant),
    Constructor: Entry(None, Inferencer.type_of_constructor),
    relay.Function: Entry(Inferencer.enter_function, Inferencer.type_of_function),
    relay.GlobalVar: Entry(None, Inferencer.type_of_global_var),
    relay.If: Entry(None, Inferencer.type_of_if),
    relay.Let: Entry(Inferencer.enter_let, Inferencer.type_of_let),
    Match: Entry(Inferencer.enter_match, Inferencer.type_of_match),
    relay.Op: Entry(None, Inferencer.type_of_op),
    relay.RefCreate: Entry(None, Inferencer.type_of_ref_create),
    relay.RefRead: Entry(None, Inferencer.type_of_ref_read),
    relay.RefWrite: Entry(None, Inferencer.type_of_ref_write),
    relay.Tuple: Entry(None, Inferencer.type_of_tuple),
    relay.TupleGetItem: Entry(None, Inferencer.type_of_projection),
    relay.Var: Entry(None, Inferencer.type_of_var),
}.items():
    TYPE_RULES.register(_kind, _entry)


def _describe_callee(op: relay.Expr) -> str:
    """Return how a message names what is called."""
    sigil = {relay.GlobalVar: "@", relay.Var: "%"}.get(type(op), "")
    name = getattr(op, "name_hint", None)
    return "the function" if name is None else f"{sigil}{name}"


def _dtype_name(dtype: np.dtype[Any]) -> str:  # Any: any element type
    return element_name(dtype)
