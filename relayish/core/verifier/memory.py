"""Rules of memory: loads, stores and addresses, and their symbols and values."""

from __future__ import annotations

from relayish.core.ir import memory as mem
from relayish.core.ir.expr import Intconst
from relayish.core.ir.family import Expr, Stmt, Symbol
from relayish.core.ir.symbol import Preg
from relayish.core.ir.type import Type
from relayish.core.verifier.rule import Rule, is_value, typed
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.verification.rules import VERIFY_RULES, Report, count_of


@VERIFY_RULES.register(mem.Lda)
def check_lda(lda: mem.Lda, report: Report) -> None:
    """Registers have no address."""
    if isinstance(lda.symbol, Preg):
        report(
            Rule.SYMBOL,
            lda,
            f"lda takes the address of pseudo register {one_line(lda.symbol)}, which has none; "
            f"keep the value in a variable",
        )


@VERIFY_RULES.register(mem.Ld)
def check_ld(load: mem.Ld, report: Report) -> None:
    """A symbol is loaded as what it is."""
    _check_symbol(load, load.symbol, report)
    _check_access(load, load.symbol, load.access_type, report)


@VERIFY_RULES.register(mem.St)
def check_st(store: mem.St, report: Report) -> None:
    """A symbol takes a value of its type."""
    _check_symbol(store, store.symbol, report)
    _check_access(store, store.symbol, store.access_type, report)
    _check_value(store, store.value, store.access_type or mem.type_of(store.symbol), report)


@VERIFY_RULES.register(mem.Ldp)
def check_ldp(load: mem.Ldp, report: Report) -> None:
    """A register is loaded as what it is."""
    _check_access(load, load.preg, load.access_type, report)


@VERIFY_RULES.register(mem.Stp)
def check_stp(store: mem.Stp, report: Report) -> None:
    """A register takes a value of its type."""
    _check_access(store, store.preg, store.access_type, report)
    _check_value(store, store.value, store.access_type or store.preg.type, report)


@VERIFY_RULES.register(mem.Ldf)
def check_ldf(load: mem.Ldf, report: Report) -> None:
    """Structures have fields."""
    _check_symbol(load, load.symbol, report)
    _check_structure(load, load.symbol, report)


@VERIFY_RULES.register(mem.Stf)
def check_stf(store: mem.Stf, report: Report) -> None:
    """A field takes a value of the access type."""
    _check_symbol(store, store.symbol, report)
    _check_structure(store, store.symbol, report)
    if store.access_type is not None:
        _check_value(store, store.value, store.access_type, report)


@VERIFY_RULES.register(mem.Ldpf)
def check_ldpf(load: mem.Ldpf, report: Report) -> None:
    """Structures have fields, in registers as well."""
    _check_structure(load, load.preg, report)


@VERIFY_RULES.register(mem.Stpf)
def check_stpf(store: mem.Stpf, report: Report) -> None:
    """A field takes a value of the access type."""
    _check_structure(store, store.preg, report)
    if store.access_type is not None:
        _check_value(store, store.value, store.access_type, report)


@VERIFY_RULES.register(mem.Ldo)
def check_ldo(load: mem.Ldo, report: Report) -> None:
    """A part of a symbol begins at or behind its first byte."""
    _check_symbol(load, load.symbol, report)
    _check_offset(load, load.offset, report)


@VERIFY_RULES.register(mem.Sto)
def check_sto(store: mem.Sto, report: Report) -> None:
    """A part of a symbol takes a value of the access type."""
    _check_symbol(store, store.symbol, report)
    _check_offset(store, store.offset, report)
    if store.access_type is not None:
        _check_value(store, store.value, store.access_type, report)


@VERIFY_RULES.register(mem.Ild)
def check_ild(load: mem.Ild, report: Report) -> None:
    """What is loaded from an address is what it is the address of."""
    _check_address(load, load.address, load.access_type, report)


@VERIFY_RULES.register(mem.Ist)
def check_ist(store: mem.Ist, report: Report) -> None:
    """What an address is of takes a value of its type."""
    held = _check_address(store, store.address, store.access_type, report)
    if held is not None:
        _check_value(store, store.value, held, report)


@VERIFY_RULES.register(mem.Array)
def check_array(array: mem.Array, report: Report) -> None:
    """An element has an index for each dimension, in range where it is known."""
    if not array.address.type.is_pointer:
        report(
            Rule.TYPE,
            array,
            f"array is given {typed(array.address)}; expected an address: that of a variable is "
            f"Lda(variable)",
        )
        return
    held = array.address.type.pointee
    rank = len(held.shape) if held.is_array else 1
    if len(array.indices) != rank:
        report(
            Rule.INDEX,
            array,
            f"array has {count_of(len(array.indices), 'index', 'indices')} for an address of "
            f"{held}; expected {rank}",
        )
    for index in array.indices:
        if not index.type.is_integer:
            report(Rule.INDEX, array, f"array has the index {typed(index)}; expected integers")
    if held.is_array:
        _check_bounds(array, held, report)


def _check_bounds(array: mem.Array, held: Type, report: Report) -> None:
    for at, (index, size) in enumerate(zip(array.indices, held.shape, strict=False)):
        if isinstance(index, Intconst) and not 0 <= index.value < size:
            report(
                Rule.INDEX,
                array,
                f"array has the index {index.value} in dimension {at} of {held}; expected 0 to "
                f"{size - 1}",
            )


def _check_symbol(node: Node, symbol: Symbol, report: Report) -> None:
    """Variables are loaded and stored by these kinds, registers and functions are not."""
    if isinstance(symbol, Preg):
        report(
            Rule.SYMBOL,
            node,
            f"{type(node).visit_name} accesses pseudo register {one_line(symbol)}; expected a "
            f"variable: registers have kinds of their own, ldp, ldpf, stp and stpf",
        )
    elif not is_value(mem.type_of(symbol)):
        report(
            Rule.SYMBOL,
            node,
            f"{type(node).visit_name} accesses {one_line(symbol)} of type {mem.type_of(symbol)}; "
            f"expected a variable: the address of a function is Lda(function)",
        )


def _check_access(node: Node, symbol: Symbol, access: Type | None, report: Report) -> None:
    if access is not None and access != mem.type_of(symbol):
        report(
            Rule.TYPE,
            node,
            f"{type(node).visit_name} accesses {one_line(symbol)} of type {mem.type_of(symbol)} as "
            f"{access}; expected its own type: parts of it are accessed by field or offset",
        )


def _check_value(node: Stmt, value: Expr, expected: Type, report: Report) -> None:
    if value.type != expected:
        report(
            Rule.TYPE,
            node,
            f"{type(node).visit_name} stores {typed(value)}; expected a value of type {expected}",
        )


def _check_structure(node: Node, symbol: Symbol, report: Report) -> None:
    given = mem.type_of(symbol)
    if not given.is_struct:
        report(
            Rule.FIELD,
            node,
            f"{type(node).visit_name} accesses a field of {one_line(symbol)} of type {given}; "
            f"expected a structure",
        )


def _check_offset(node: mem.Ldo | mem.Sto, offset: int, report: Report) -> None:
    if offset < 0:
        report(
            Rule.FIELD,
            node,
            f"{type(node).visit_name} accesses {one_line(node.symbol)} at byte {offset}; expected "
            f"0 or more",
        )


def _check_address(
    node: mem.Ild | mem.Ist, address: Expr, access: Type | None, report: Report
) -> Type | None:
    """Return what is accessed; ``None`` where that is wrong."""
    name = type(node).visit_name
    if not address.type.is_pointer:
        report(
            Rule.TYPE,
            node,
            f"{name} is given {typed(address)}; expected an address: what a variable holds is "
            f"loaded and stored by ld and st",
        )
        return None
    held = address.type.pointee
    if access is None or held.is_void or held == access:
        found = access or held
        if is_value(found):
            return found
        report(
            Rule.TYPE,
            node,
            f"{name} accesses {found} at {typed(address)}; expected a type that has values as "
            f"access type",
        )
        return None
    report(
        Rule.TYPE,
        node,
        f"{name} accesses {access} at {typed(address)}; expected {held}, or an address of void",
    )
    return None
