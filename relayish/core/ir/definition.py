"""Definitions: what a module of core holds under names, as AIR's global scope does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from relayish.core.ir.family import Definition, Expr
from relayish.core.ir.stmt import EMPTY, Block
from relayish.core.ir.symbol import Global, Preg, Var
from relayish.core.ir.type import VOID, Type, TypeLike, as_type, function
from relayish.errors import FieldError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import field, node


@node("func_entry", effect=Effect.NONE, graph_node=False, properties=Property.ENTRY)
class FuncEntry(Definition):
    """A function with its definition: function scope, symbol table and code.

    Attributes:
        formals: Variables that hold the arguments.
        locals: Its other variables, which hold nothing at first.
        pregs: Its pseudo registers, likewise.
        body: The code.
        result: The type of what it returns.
        type: The type of the function, its signature.
    """

    formals: tuple[Var, ...] = field(default=(), binder=True)
    locals: tuple[Var, ...] = field(default=(), binder=True)
    pregs: tuple[Preg, ...] = field(default=(), binder=True)
    body: Block = field(default=EMPTY, scope=Runs.DEFERRED)
    result: Type = field(default=VOID, convert=as_type)
    attrs: DictAttrs | None = None
    type: Type = field(init=False, derived=True)

    @staticmethod
    def derive_type(node: FuncEntry) -> Type:
        """Return the type of the function."""
        return function([each.type for each in node.formals], node.result)


def _as_signature(given: TypeLike) -> Type:
    signature = as_type(given)
    if not signature.is_function:
        raise FieldError(
            f"a function has a function type, such as '(int32) -> int32'; found {signature}"
        )
    return signature


@node("func_decl", effect=Effect.NONE, graph_node=False, properties=Property.NOT_EXEC)
class FuncDecl(Definition):
    """A function that is declared only: another module or a library defines it."""

    type: Type = field(convert=_as_signature)
    attrs: DictAttrs | None = None


@node("global_variable", effect=Effect.NONE, graph_node=False, properties=Property.NOT_EXEC)
class GlobalVariable(Definition):
    """A variable of the module, which all of its functions share.

    Attributes:
        init: What it holds at first, a literal, a constant or an address; ``None``: zeros.
        is_const: Whether it is never written.
    """

    type: Type = field(convert=as_type)
    init: Expr | None = None
    is_const: bool = False
    attrs: DictAttrs | None = None


def _as_fields(given: object) -> tuple[tuple[str, Type], ...]:
    pairs = given.items() if isinstance(given, Mapping) else given
    if not isinstance(pairs, Iterable):
        raise TypeError(
            f"the fields of a structure are pairs of a name and a type; found {given!r}"
        )
    return tuple([(str(name), as_type(held)) for name, held in pairs])


@node("struct_def", effect=Effect.NONE, graph_node=False, properties=Property.NOT_EXEC)
class StructDef(Definition):
    """A structure: fields, each with a name and a type, in order.

    The type is ``struct name`` where the module defines it as ``name``.
    """

    fields: tuple[tuple[str, Type], ...] = field(convert=_as_fields)


@node("entry", effect=Effect.NONE, graph_node=False, properties=Property.ENTRY)
class Entry(Definition):
    """An entry point: a further name by which a function is called.

    Attributes:
        function: The function.
        is_program: Whether the program begins there.
    """

    function: Global
    is_program: bool = False
