"""Memory of symbols of core in the loop IR: scalars, and tensors over buffers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from relayish import tir
from relayish.core.ir.definition import FuncEntry, GlobalVariable
from relayish.core.ir.family import Stmt, Symbol
from relayish.core.ir.memory import type_of
from relayish.core.ir.symbol import Global
from relayish.core.ir.type import Type
from relayish.core.layout import Layout
from relayish.dataflow.graph.mod_ref import mod_ref_of
from relayish.errors import LoweringError
from relayish.ir.fields.naming import name_of
from relayish.ir.scopes.scoping import PROGRAM


class Signature(NamedTuple):
    """The arguments of a lowered function, in order: first scalars, then buffers.

    Attributes:
        scalars: The formals that are scalars, in order.
        lengths: How many elements there are at each formal that is an address.
        pointers: Those formals.
        shared: The names of the variables of the module that it uses, or that what it calls does.
        result: The type of what it returns, which the first element of the last buffer takes;
            ``None``: nothing.
    """

    scalars: tuple[Symbol, ...]
    lengths: tuple[Symbol, ...]
    pointers: tuple[Symbol, ...]
    shared: tuple[str, ...]
    result: Type | None


def signature_of(func: FuncEntry, shared: Iterable[str]) -> Signature:
    """Return the arguments of a function that uses some variables of the module."""
    pointers = tuple([each for each in func.formals if each.type.is_pointer])
    scalars = tuple([each for each in func.formals if not each.type.is_pointer])
    result = None if func.result.is_void else func.result
    return Signature(scalars, pointers, pointers, tuple(shared), result)


class Places:
    """The variables and tensors of one lowered function.

    Attributes:
        args: The arguments of the function.
        declared: What declares its scalars, to stand at its beginning.
        buffers: The buffers it allocates.
        result: What takes what it returns; ``None``: it returns nothing.

    Raises:
        LoweringError: If the loop IR has nothing to hold a symbol.
    """

    def __init__(
        self,
        name: str,
        func: FuncEntry,
        signature: Signature,
        variables: dict[str, GlobalVariable],
        layout: Layout,
    ) -> None:
        self.name = name
        self._layout = layout
        self._scalars: dict[Symbol, tir.Var] = {}
        self._fields: dict[Symbol, dict[str, tir.Var]] = {}
        self._tensors: dict[Symbol, tir.Tensor] = {}
        self._shared: dict[str, tir.Tensor] = {}
        self._lengths: dict[Symbol, tir.Var] = {}
        self._taken: dict[str, int] = {}
        self._unused: dict[Symbol, tir.Type] = {}
        self._written = {
            place
            for node in PROGRAM.pre_order(func.body)
            if isinstance(node, Stmt)
            for place in mod_ref_of(node).overwrites
        }
        self.args: list[tir.Var | tir.Buffer] = []
        self.declared: list[tir.Stmt] = []
        self.buffers: list[tir.Buffer] = []
        for symbol in signature.scalars:
            self._add_formal(symbol)
        for symbol in signature.lengths:
            length = self._lengths[symbol] = tir.Var(self._fresh(f"{name_of(symbol)}_length"))
            self.args.append(length)
        for symbol in signature.pointers:
            element = self._element_of(symbol, type_of(symbol).pointee)
            shape = (self._lengths[symbol],)
            self._tensors[symbol] = self._add_argument(name_of(symbol), shape, element)
        for each in signature.shared:
            self._shared[each] = self._add_shared(each, variables[each])
        self.result = None
        if signature.result is not None:
            element = self._scalar_type(func, "its result", signature.result)
            self.result = self._add_argument("result", (tir.const(1),), element)
        for symbol in (*func.locals, *func.pregs):
            self._add_local(symbol)

    def _fresh(self, name: str) -> str:
        """Return a name that no other variable of the function has."""
        base = name or "r"
        count = self._taken.get(base, 0)
        self._taken[base] = count + 1
        return self._fresh(f"{base}_{count}") if count else base

    def _add_formal(self, symbol: Symbol) -> None:
        held = self._scalar_type(symbol, name_of(symbol), type_of(symbol))
        given = tir.Var(self._fresh(name_of(symbol)), held)
        self.args.append(given)
        is_written = symbol in self._written
        self._scalars[symbol] = self.declare(given.name, held, given) if is_written else given

    def _add_local(self, symbol: Symbol) -> None:
        held = type_of(symbol)
        if held.is_array:
            element = self._element_of(symbol, held.element)
            tensor = self._tensor(name_of(symbol), tuple(map(tir.const, held.shape)), element)
            self._tensors[symbol] = tensor
            self._allocate(tensor)
        elif held.is_struct:
            self._fields[symbol] = {
                field: self.declare(
                    f"{name_of(symbol)}_{field}", self._scalar_type(symbol, field, each)
                )
                for field, each in self._layout.fields_of(held).items()
            }
        else:
            self._unused[symbol] = self._scalar_type(symbol, name_of(symbol), held)

    def _add_shared(self, name: str, variable: GlobalVariable) -> tir.Tensor:
        held = variable.type
        if held.is_array:
            shape = tuple(map(tir.const, held.shape))
            return self._add_argument(name, shape, self._element_of(variable, held.element))
        return self._add_argument(name, (tir.const(1),), self._scalar_type(variable, name, held))

    def _add_argument(
        self, name: str, shape: tuple[tir.Expr, ...], element: tir.Type
    ) -> tir.Tensor:
        tensor = self._tensor(name, shape, element)
        assert isinstance(tensor.buffer, tir.Buffer)
        self.args.append(tensor.buffer)
        return tensor

    def _tensor(self, name: str, shape: tuple[tir.Expr, ...], element: tir.Type) -> tir.Tensor:
        unique = self._fresh(name)
        return tir.Tensor(unique, shape, element, tir.Buffer(f"_{unique}", shape, element))

    def _allocate(self, tensor: tir.Tensor) -> None:
        assert isinstance(tensor.buffer, tir.Buffer)
        self.buffers.append(tensor.buffer)

    def _scalar_type(self, symbol: object, name: str, held: Type) -> tir.Type:
        if not held.is_scalar or held.is_pointer:
            raise self.error(f"{name} of type {held} is no scalar", symbol)
        return tir.as_type(str(held))

    def _element_of(self, symbol: object, held: Type) -> tir.Type:
        if not held.is_scalar or held.is_pointer:
            raise self.error(f"elements of type {held} are no scalars", symbol)
        return tir.as_type(str(held))

    # What handlers ask

    def declare(self, name: str, held: tir.Type, value: tir.Expr | None = None) -> tir.Var:
        """Return a new scalar of the function, which holds ``value`` at first."""
        made = tir.Var(self._fresh(name), held)
        self.declared.append(tir.Let(made, value))
        return made

    def iterator(self, name: str, held: tir.Type) -> tir.Var:
        """Return a new variable for a loop to bind."""
        return tir.Var(self._fresh(name), held)

    def temporary(self, name: str, held: Type) -> tir.Tensor:
        """Return a new buffer of one element."""
        tensor = self._tensor(name, (tir.const(1),), tir.as_type(str(held)))
        self._allocate(tensor)
        return tensor

    def scalar(self, symbol: Symbol) -> tir.Var | tir.Load:
        """Return what loads a scalar: a variable, or the element of a shared buffer."""
        if isinstance(symbol, Global):
            return tir.Load(self.shared(symbol), (tir.const(0),))
        if symbol in self._unused:
            held = self._unused.pop(symbol)
            self._scalars[symbol] = self.declare(name_of(symbol), held)
        found = self._scalars.get(symbol)
        if found is None:
            raise self.error(f"{name_of(symbol)} of type {type_of(symbol)} is no scalar", symbol)
        return found

    def field(self, symbol: Symbol, name: str) -> tir.Var:
        """Return the scalar that a field of a structure has become."""
        found = self._fields.get(symbol)
        if found is None:
            raise self.error(f"{name_of(symbol)} is no structure of the function", symbol)
        return found[name]

    def fields(self, symbol: Symbol) -> dict[str, tir.Var]:
        """Return the scalars that the fields of a structure have become; none: it is none."""
        return self._fields.get(symbol, {})

    def tensor(self, symbol: Symbol) -> tir.Tensor:
        """Return the tensor that an array, or what a formal is the address of, has become."""
        if isinstance(symbol, Global):
            return self.shared(symbol)
        found = self._tensors.get(symbol)
        if found is None:
            raise self.error(f"{name_of(symbol)} of type {type_of(symbol)} is no array", symbol)
        return found

    def shared(self, symbol: Global) -> tir.Tensor:
        """Return the tensor that a variable of the module has become."""
        return self._shared[symbol.name]

    def shared_named(self, name: str) -> tir.Tensor:
        """Return the same by name."""
        return self._shared[name]

    def error(self, what: str, node: object) -> LoweringError:
        """Return the error of what the loop IR cannot hold."""
        from_ = getattr(node, "span", None)
        where = "" if from_ is None else f" at {from_}"
        return LoweringError(
            f"function {self.name} of core cannot become loops{where}: {what}; the loop IR has "
            f"scalars and buffers of scalars"
        )
