"""Constraint solver: type relations of operators, and all that has to see a type first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NoReturn, cast

from relayish.analysis.infer_type.surroundings import Surroundings
from relayish.analysis.infer_type.unifier import Unifier, substitute, unknowns
from relayish.errors import DeclarationError, Diagnostic, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Expr, GlobalVar, Op, Var
from relayish.ir.relay.op import op_of
from relayish.ir.relay.type import (
    FuncType,
    IncompleteType,
    TensorType,
    TupleType,
    Type,
    TypeRelation,
)
from relayish.ir.relay.type import TypeVar as RelayTypeVar
from relayish.op.declaration.properties import arguments, attrs_type, num_inputs, relation, rule
from relayish.op.declaration.registry import get_op
from relayish.op.types.type_rules import identity, keep_type


class Application:
    """An operator applied to arguments, of which too little is known as yet to tell the result.

    ``missing`` are unknown types in the arguments; the last one is looked at first.
    """

    __slots__ = ("args", "attrs", "missing", "node", "op", "result")

    def __init__(
        self, node: Expr, op: Op, attrs: Attrs | None, args: tuple[Type, ...], result: Type
    ) -> None:
        self.node = node
        self.op = op
        self.attrs = attrs
        self.args = args
        self.result = result
        self.missing: list[IncompleteType] = []

    @property
    def problem(self) -> str:
        """What is wrong if nothing more becomes known."""
        return f"the types of the arguments of {self.op.full_name} cannot be told; annotate them"


class Awaited:
    """What follows from a type of which not even the head is known.

    ``problem`` says what is wrong if nothing more becomes known.
    """

    __slots__ = ("args", "node", "problem", "result", "then")

    def __init__(
        self, node: Expr, ty: Type, then: Callable[[Type], Type], result: Type, problem: str
    ) -> None:
        self.node = node
        self.args = (ty,)
        self.then = then
        self.result = result
        self.problem = problem


Waiting = Application | Awaited


class Solver(Unifier):
    """A unifier, with a worklist of what waits for unknown types to become known."""

    def __init__(self) -> None:
        super().__init__()
        self.diagnostics: list[Diagnostic] = []
        self.where = ""
        self._looked_at: tuple[Sequence[Expr], bool] = (), False
        """Definitions, and whether what carries a type in them is looked at."""
        self._surroundings: Surroundings | None = None
        self._waiting: dict[IncompleteType, list[Waiting]] = {}
        self._unsolved: dict[Waiting, None] = {}
        self._ready: deque[Waiting] = deque()
        self._results: dict[tuple[object, ...], Type] = {}
        self._known_tensors: dict[tuple[object, ...], TensorType] = {}

    def forget_sizes(self) -> None:
        """See the base; results that were told for sizes of one definition go with them."""
        if self._size:
            self._results.clear()
        super().forget_sizes()

    @property
    def surroundings(self) -> Surroundings:
        """What stands around the expressions that are looked at; made when an error asks."""
        if self._surroundings is None:
            definitions, typed = self._looked_at
            self._surroundings = Surroundings(definitions, typed=typed)
        return self._surroundings

    def report(self, node: Expr, message: object, inside: Expr | None = None) -> Type:
        """Note an error and return a type that goes with everything.

        Args:
            node: What is wrong.
            message: What is wrong with it.
            inside: The expression that uses ``node``: its place is told where ``node`` is a
                variable, for that carries the place where it is bound.

        What is wrong is quoted where it has no span.
        """
        at = inside if inside is not None and _is_elsewhere(node) else node
        told = str(message) if at.span is not None else self.surroundings.quote(at, str(message))
        self.diagnostics.append(Diagnostic(told, at.span, self.where))
        return self.faulty()

    def equate(
        self,
        node: Expr,
        expected: Type,
        found: Type,
        what: str,
        inside: Expr | None = None,
        advice: str = "",
    ) -> Type:
        """Return the type both become; report ``what`` and ``advice`` if they differ."""
        try:
            return self.unify(expected, found)
        except TypeInferenceError as error:
            sides = f"expected {self.show(expected)}, found {self.show(found)}"
            inner = (
                f" ({error})"
                if str(error) not in _describe_difference(self, expected, found)
                else ""
            )
            return self.report(node, f"{what}: {sides}{inner}{advice and f'; {advice}'}", inside)

    def notice(self, unknown: IncompleteType, ty: Type) -> None:  # noqa: ARG002 - see the base
        waiting = self._waiting.pop(unknown, None)
        if waiting is not None:
            self._ready.extend(waiting)

    def canonical(self, ty: TensorType) -> TensorType:
        """Return one object for all tensor types that are the same."""
        key = (ty.dtype, ty.shape)
        found = self._known_tensors.get(key)
        if found is None:
            found = self._known_tensors[key] = ty
        return found

    def apply(self, node: Expr, op: Op, attrs: Attrs | None, args: tuple[Type, ...]) -> Type:
        """Return the type of ``op`` applied to arguments of types ``args``."""
        problem = _describe_misapplied(op, len(args))
        if problem is not None:
            return self.report(node, problem)
        result = IncompleteType()
        found = self._ask(Application(node, op, attrs, args, result))
        return result if found is None else found

    def project(self, node: Expr, tuple_type: Type, index: int) -> Type:
        """Return the type of field ``index`` of a tuple."""
        known = self.find(tuple_type)
        if type(known) is TupleType:
            return self._field(node, known, index)
        return self.await_head(
            node,
            tuple_type,
            lambda found: self._field(node, found, index),
            f"field {index} is taken of something whose type cannot be told; annotate it",
        )

    def await_head(self, node: Expr, ty: Type, then: Callable[[Type], Type], problem: str) -> Type:
        """Return what ``then`` makes of ``ty`` once more is known of it than that it is a type.

        Args:
            node: Where errors are reported.
            ty: A type.
            then: Is given the type, of which the head is known.
            problem: What is wrong if it never becomes known.
        """
        result = IncompleteType()
        found = self._project(Awaited(node, ty, then, result, problem))
        return result if found is None else found

    def instantiate(self, node: Expr, func: FuncType, attrs: Attrs | None = None) -> FuncType:
        """Return ``func`` with new unknown types for its type variables; see :meth:`applied`."""
        return self.applied(node, func, [IncompleteType(p.kind) for p in func.type_params], attrs)

    def applied(
        self, node: Expr, func: FuncType, type_args: list[Type], attrs: Attrs | None = None
    ) -> FuncType:
        """Return ``func`` with its type variables replaced, its relations put to work."""
        values: dict[RelayTypeVar, Type] = dict(zip(func.type_params, type_args, strict=True))
        known = cast("FuncType", self.resolve(func))
        for constraint in func.type_constraints:
            if isinstance(constraint, TypeRelation):
                *args, result = (substitute(arg, values) for arg in constraint.args)
                given = constraint.attrs if attrs is None else attrs
                found = self.apply(node, get_op(op_of(constraint.func)), given, tuple(args))
                self.equate(node, found, result, f"result of {constraint.func}")
        arg_types = tuple(substitute(ty, values) for ty in known.arg_types)
        return FuncType(arg_types, substitute(known.ret_type, values))

    def solve(self) -> None:
        """Work off what has become known until nothing more follows from it."""
        ready = self._ready
        while ready:
            waiting = ready.popleft()
            if waiting in self._unsolved:
                _RETRY[type(waiting)](self, waiting)

    def give_up(self) -> None:
        """Report what still waits, for nothing more will become known.

        Only what waits for nothing that is itself waited for is reported: the rest would follow.
        """
        results = {self.find(waiting.result) for waiting in self._unsolved}
        for waiting in self._unsolved:
            missing = [u for arg in waiting.args for u in unknowns(self.resolve(arg))]
            follows = any(u in results or u in self._faulty for u in missing)
            if missing and not follows:
                self.report(waiting.node, waiting.problem)
        self._unsolved.clear()

    def _ask(self, application: Application) -> Type | None:
        """Return the result of ``application``, or ``None`` after making it wait."""
        op, attrs = application.op, application.attrs
        closed, resolve = self.closed, self.resolve
        args = tuple([arg if arg in closed else resolve(arg) for arg in application.args])
        is_known = closed.issuperset(args)
        if is_known:
            told = self._results.get((op, attrs, *args))
            if told is not None:
                return told
        elif not self._faulty.isdisjoint(args):
            return self.faulty()
        answer = rule.get(op)
        try:
            _check_attrs(op, attrs)
            if answer is keep_type or (answer is identity and type(args[0]) is IncompleteType):
                return args[0]
            if answer is not None and is_known:
                result = answer(attrs, *args)
                return self._remember((op, attrs, *args), application, result)
            if answer is None:
                found = self._relate(op, attrs, args)
                if found is not None:
                    key = (op, attrs, *map(self.resolve, args))
                    return self._remember(key, application, found)
        except TypeInferenceError as error:
            return self.report(application.node, f"{op.full_name}: {error}")
        self._wait(application, args)
        return None

    def _wait(self, application: Application, args: tuple[Type, ...]) -> None:
        """Let ``application`` wait for what is missing in ``args``: a rule asks for all of it."""
        self._unsolved[application] = None
        missing: dict[IncompleteType, None] = {}
        for arg in args:
            if type(arg) is IncompleteType:
                missing[arg] = None
            elif arg not in self.closed:
                missing.update(dict.fromkeys(unknowns(arg)))
        application.missing = list(missing)
        asks_for_all = application.op in rule
        for unknown in application.missing[-1:] if asks_for_all else application.missing:
            self._waiting.setdefault(unknown, []).append(application)

    def _project(self, awaited: Awaited) -> Type | None:
        """Return what follows from a type, or ``None`` after waiting for it to be known."""
        found = self.find(awaited.args[0])
        if found in self._faulty:
            return found
        if isinstance(found, IncompleteType):
            self._unsolved[awaited] = None
            self._waiting.setdefault(found, []).append(awaited)
            return None
        try:
            return awaited.then(found)
        except TypeInferenceError as error:
            return self.report(awaited.node, error)

    def _relate(self, op: Op, attrs: Attrs | None, args: tuple[Type, ...]) -> Type | None:
        ask = relation.get(op)
        if ask is None:
            raise TypeInferenceError(
                "the operator declares neither a rule nor a relation of types; give it one by "
                "register_op(..., rule=...)"
            )
        return ask(attrs, args, self)

    def _remember(self, key: tuple[object, ...], application: Application, result: Type) -> Type:
        if isinstance(result, TensorType):
            result = self.canonical(result)
        elif not isinstance(result, Type):
            _refuse_answer(application.op, result)
        if self.closed.issuperset(key[2:]):
            self._results[key] = result
            if application.args != key[2:]:
                self._results[application.op, application.attrs, *application.args] = result
        return result

    def retry_application(self, application: Application) -> None:
        """Ask again what an operator makes of its arguments; a rule once it can tell."""
        op, find = application.op, self.find
        args = tuple([find(arg) for arg in application.args])
        if self.closed.issuperset(args):
            told = self._results.get((op, application.attrs, *args))
            if told is not None:
                self._settle(application, told)
                return
        if op in rule:
            unknown = self._find_missing(application)
            if unknown is not None:
                self._waiting.setdefault(unknown, []).append(application)
                return
        found = self._ask(application)
        if found is not None:
            self._settle(application, found)

    def _find_missing(self, application: Application) -> IncompleteType | None:
        """Return something that is still unknown in the arguments, each looked at once."""
        missing = application.missing
        while missing:
            value = self.find(missing[-1])
            if isinstance(value, IncompleteType):
                return value
            missing.pop()
            if value in self.closed:
                continue
            inside = unknowns(self.resolve(value))
            missing += [unknown for unknown in inside if self.find(unknown) is unknown]
        return None

    def retry_awaited(self, awaited: Awaited) -> None:
        """Look again at a type that was not known."""
        found = self._project(awaited)
        if found is not None:
            self._settle(awaited, found)

    def _settle(self, waiting: Waiting, found: Type) -> None:
        del self._unsolved[waiting]
        self.equate(waiting.node, waiting.result, found, "result")

    def _field(self, node: Expr, found: Type, index: int) -> Type:
        if not isinstance(found, TupleType):
            return self.report(
                node, f"field {index} is taken of {self.show(found)}, which is no tuple"
            )
        if 0 <= index < len(found.fields):
            return found.fields[index]
        count = len(found.fields)
        last = f"; the last one is field {count - 1}" if count else ""
        message = f"a tuple of {count} field{'' if count == 1 else 's'} has no field {index}"
        return self.report(node, f"{message}: {self.show(found)}{last}")


_RETRY: Final[dict[type, Callable[..., None]]] = {
    Application: Solver.retry_application,
    Awaited: Solver.retry_awaited,
}


def _describe_misapplied(op: Op, count: int) -> str | None:
    expected = arguments.get(op)
    if expected is None or op not in num_inputs or len(expected) == count:
        return None
    names = ", ".join(expected)
    return f"{op.full_name} is called with {count} arguments; expected {len(expected)}: ({names})"


def _refuse_answer(op: Op, answer: object) -> NoReturn:
    what = "rule" if op in rule else "relation"
    missing = "; is a return missing?" if answer is None else ""
    raise DeclarationError(
        f"the type {what} of operator {op.full_name} returned {answer!r}; expected a type{missing}"
    )


def _is_elsewhere(node: Expr) -> bool:
    """Return whether ``node`` may stand for something in another place than it is used."""
    return type(node) in (Var, GlobalVar, Op) or node.span is None


def _describe_difference(unifier: Unifier, expected: Type, found: Type) -> str:
    one, other = unifier.show(expected), unifier.show(found)
    return f"{one} is not {other}; {other} is not {one}"


def _check_attrs(op: Op, attrs: Attrs | None) -> None:
    """Refuse attributes without the fields that ``op`` declares, for its rule reads them."""
    expected = attrs_type.get(op)
    if expected is None or type(attrs) is expected:
        return
    if attrs is None and not expected.field_names:  # it reads what there is
        return
    if attrs is None or not set(expected.field_names).issubset(attrs.keys()):
        found = "no attributes" if attrs is None else type(attrs).__name__
        raise TypeInferenceError(
            f"the call has {found}; expected {expected.__name__}, as relayish.op.call_op makes them"
        )


def operator_type(op: Op) -> FuncType:
    """Return the type of an operator that is used as a value: polymorphic, with its relation.

    Raises:
        TypeInferenceError: If the operator has no fixed number of arguments.
    """
    names = arguments.get(op)
    if names is None or op not in num_inputs:
        raise TypeInferenceError(f"{op.full_name} has no type of its own; call it instead")
    params = tuple(RelayTypeVar(name) for name in (*names, "result"))
    relates = TypeRelation(op.full_name, params, len(names))
    return FuncType(params[:-1], params[-1], params, (relates,))
