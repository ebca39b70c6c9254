"""The typing environment: what variables, patterns and constructors stand for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from relayish.analysis.infer_type.solver import Solver
from relayish.analysis.type_kind import Kinds
from relayish.errors import Diagnostic
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.naming import display_name
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.kind_table import MadeTable
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay import adt
from relayish.ir.relay import type as types
from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import binders


class Environment(Solver, ABC):
    """A solver that knows the types of nodes; every variable has one, for the object counts.

    ``types`` holds what was found, in post-order; types in it may have to be resolved.
    """

    def __init__(self, mod: IRModule | None) -> None:
        super().__init__()
        self.types: dict[Node, types.Type] = {}
        self.rebound: set[Node] = set()
        """Variables that stand for values of more types than the first they were bound to."""
        self._bound: set[Node] = set()
        self._definitions: Mapping[types.GlobalTypeVar, adt.TypeData] = (
            {} if mod is None else mod.type_definitions
        )
        self._kinds = Kinds(self._definitions)

    # variables

    def declare_var(self, var: Node) -> types.Type:
        """Return the type of a variable where it is bound, by annotation or a new unknown.

        What was inferred of it before says nothing: its value may have another type by now.
        """
        found = self.types.get(var)
        if found is None:
            if isinstance(var, Var):
                found = self.annotation(var, var.type_annotation)
            if found is None:
                found = types.IncompleteType()
            self.types[var] = found
        return found

    def declare_all(self, node: Node) -> None:
        """Give every variable that ``node`` binds a type, unless it has one."""
        for var in binders(node):
            self.declare_var(var)

    def bind(
        self, at: Expr, binder: Node, ty: types.Type, what: str = "", inside: Expr | None = None
    ) -> types.Type:
        """Let a variable, or those of a pattern, stand for values of type ``ty``.

        A variable that is bound again, wherever that is, stands for values of all of these types.

        Args:
            at: What has the type; errors are reported there.
            binder: A variable or a pattern.
            ty: The type.
            what: What an error says; by default that it is the value of the variable.
            inside: The expression that binds.

        Returns:
            The type the variable has now; ``ty`` for patterns.
        """
        if type(binder) not in VARIABLES:
            self.bind_pattern(at, binder, ty)
            return ty
        before = self.declare_var(binder)
        told = what or f"value of {display_name(binder)}"
        found = self.equate(at, before, ty, told, inside)
        if found is not before and not self.is_faulty(found):
            self.types[binder] = found
            if binder in self._bound and not structural_equal(self.find(before), found):
                self.rebound.add(binder)
                self.widened = True
        self._bound.add(binder)
        return found

    def forget_variables(self) -> None:
        """Begin with other nodes."""
        self.types.clear()
        self.rebound.clear()
        self._bound.clear()

    def annotation(self, node: Expr, ty: types.Type | None) -> types.Type | None:
        """Return ``ty``, or the type of an error where it is no proper type."""
        if ty is None:
            return None
        if isinstance(ty, types.TensorType):
            return self.canonical(ty)
        problem = self._kinds.problem(ty)
        if problem is not None:
            return self.report(node, problem)
        return ty

    def problems_of_definitions(self) -> list[Diagnostic]:
        """Return what is wrong with the type definitions of the module."""
        found = [(data, self._kinds.look(data)) for data in self._definitions.values()]
        return [
            Diagnostic(f"type {data.header.name_hint}: {problem}", data.span)
            for data, problem in found
            if problem is not None
        ]

    # patterns

    @abstractmethod
    def inference(self, at: Expr) -> Any:  # Any: an Inference, which stands above
        """Return what rules of other packages may ask and demand at a node."""

    def bind_pattern(self, at: Expr, root: Node, matched: types.Type) -> None:
        """Give the variables of a pattern the types of the parts of the data they stand for."""
        stack: list[tuple[Node, types.Type]] = [(root, matched)]
        while stack:
            pattern, ty = stack.pop()
            stack += PATTERN_TYPE_RULES[type(pattern)](self, at, pattern, ty)

    def bind_nothing(
        self, _at: Expr, _pattern: adt.PatternWildcard, _ty: types.Type
    ) -> list[Inner]:
        """Match whatever there is."""
        return []

    def bind_variable(self, at: Expr, pattern: adt.PatternVar, ty: types.Type) -> list[Inner]:
        """Give the variable of ``pattern`` the type ``ty``; there are no patterns inside."""
        declared = self.declare_var(pattern.var)
        what = f"pattern variable %{pattern.var.name_hint}"
        self.types[pattern.var] = self.equate(at, declared, ty, what)
        return []

    def bind_fields(self, at: Expr, pattern: adt.PatternTuple, ty: types.Type) -> list[Inner]:
        """Return the patterns inside ``pattern`` with the types of what they match."""
        fields = tuple(types.IncompleteType() for _ in pattern.patterns)
        self.equate(at, ty, types.TupleType(fields), f"pattern of a tuple of {len(fields)} fields")
        return list(zip(pattern.patterns, fields, strict=True))

    def bind_constructed(
        self, at: Expr, pattern: adt.PatternConstructor, ty: types.Type
    ) -> list[Inner]:
        """Return the patterns inside ``pattern`` with the types of what they match."""
        constructor = pattern.constructor
        if len(pattern.patterns) != len(constructor.inputs):
            self.report(
                at,
                f"the pattern {constructor.name_hint} has {len(pattern.patterns)} patterns in it; "
                f"its constructor has {len(constructor.inputs)} fields; write a pattern for each, "
                f"_ for what does not matter",
            )
            return [(inner, self.faulty()) for inner in pattern.patterns]
        func = self.constructor_type(at, constructor)
        if not isinstance(func, types.FuncType):
            return [(inner, self.faulty()) for inner in pattern.patterns]
        built = self.instantiate(at, func)
        self.equate(at, ty, built.ret_type, f"pattern {constructor.name_hint}")
        return list(zip(pattern.patterns, built.arg_types, strict=True))

    def constructor_type(self, node: Expr, constructor: adt.Constructor) -> types.Type:
        data = self._definitions.get(constructor.belong_to)
        if data is None:
            return self.report(
                node,
                f"constructor {constructor.name_hint} belongs to the type "
                f"{constructor.belong_to.name_hint}, which is not defined in the module; put its "
                f"definition there: mod.with_type(...)",
            )
        if not any(constructor is known for known in data.constructors):
            name, owner = constructor.name_hint, data.header.name_hint
            names = [known.name_hint for known in data.constructors]
            advice = f"it has {', '.join(names)}"
            if name in names:
                own = f"mod.get_constructor({owner!r}, {name!r})"
                advice = f"take the one that its definition holds: {own}"
            return self.report(node, f"{name} is no constructor of the module's {owner}; {advice}")
        result = types.TypeCall(data.header, data.type_vars)
        return types.FuncType(constructor.inputs, result, data.type_vars)


Inner: TypeAlias = tuple[adt.Pattern, types.Type]
"""A pattern and the type of what it matches."""

PatternRule: TypeAlias = Callable[[Any, Any, types.Type], Iterable[Inner]]  # Any: see below


def _bind_by(rule: PatternRule) -> Callable[..., list[Inner]]:
    """Return what asks the rule of a package's kind."""
    return lambda found, at, pattern, ty: list(rule(pattern, found.inference(at), ty))


PATTERN_TYPE_RULES: Final[MadeTable[Callable[..., list[Inner]], PatternRule]] = MadeTable(
    "type inference",
    "relay.analysis.PATTERN_TYPE_RULES",
    lambda _, rule: _bind_by(rule),
    {
        adt.PatternWildcard: Environment.bind_nothing,
        adt.PatternVar: Environment.bind_variable,
        adt.PatternTuple: Environment.bind_fields,
        adt.PatternConstructor: Environment.bind_constructed,
    },
    held_as=Role.BINDER,
)
"""``rule(pattern, infer, matched)`` binds the variables of a pattern and returns the patterns
inside, each with the type of what it matches; ``infer`` is an ``Inference``."""
