"""Make zeros and ones when somebody needs their elements.

Before::

    %0 = zeros_like(%x);
    add(%0, multiply(%x, %y))

After::

    %0 = Zero(fn () { zeros_like(%x) });
    @FromGradCell(@AddGradCell(fn (%a, %b) { add(%a, %b) }, %0, Raw(multiply(%x, %y))))
"""

from __future__ import annotations

from typing import Final

from relayish.analysis.infer_type import infer_type
from relayish.analysis.timeless import Timeless
from relayish.ir.adt import Constructor
from relayish.ir.expr import Call, Expr, Function, GlobalVar, Let, Op, Var
from relayish.ir.module import IRModule
from relayish.ir.node import Node
from relayish.ir.structural_equal import structural_equal
from relayish.ir.traversal import EXPRESSIONS
from relayish.op.registry import get_op
from relayish.prelude import import_from_std
from relayish.transform import ModulePass, PassContext, is_skipped, register_pass

INITIALISERS: Final[dict[Expr, str]] = {
    get_op("zeros"): "Zero",
    get_op("zeros_like"): "Zero",
    get_op("ones"): "One",
    get_op("ones_like"): "One",
}
"""Operators whose result is made when needed, and the constructor that stands for it."""

OVERLOADED: Final[dict[Expr, str]] = {
    get_op("add"): "AddGradCell",
    get_op("multiply"): "MultiplyGradCell",
}
"""Operators that need not look at the elements of zeros or ones, and the functions that do not."""


class _Initialiser:
    """Rewrites one function: some of its tensors become cells."""

    def __init__(self, func: Function) -> None:
        self._func = func
        self._order = EXPRESSIONS.post_order(func)
        self._mod = IRModule()
        self._timeless = Timeless()
        self._cells: dict[Node, Expr] = {}
        self._images: dict[Node, Node] = {}
        self._wanted: set[Node] = set()

    def rewrite(self, mod: IRModule) -> Function:
        """Return the function with the cells that were chosen, which ``mod`` defines."""
        self._mod = mod
        for node in self._order:
            if type(node) is Var and node in self._wanted:
                self._put(node, Var(node.name_hint, span=node.span))
            elif type(node) is Call and node in self._wanted:
                self._put(node, self._cell_of(node))
            elif type(node) is Let and node.var in self._wanted:
                self._images[node] = self._let(node)
            else:
                rebuild = EXPRESSIONS.rebuild[type(node)]
                self._images[node] = node if rebuild is None else rebuild(node, self._images.get)
        image = self._images[self._func]
        assert isinstance(image, Function)
        return image

    def choose(self) -> bool:
        """Find what is to be a cell; return whether any operator profits."""
        wanted, order = self._wanted, self._order
        values = {node.var: node.value for node in order if type(node) is Let}
        profits = False
        for node in order:
            if type(node) is not Call:
                continue
            if node.op in INITIALISERS:
                if all(type(arg) is Var or self._timeless.check(arg) for arg in node.args):
                    wanted.add(node)
            elif node.op in OVERLOADED and self._of_one_type(node):
                operands = [values.get(a, a) if type(a) is Var else a for a in node.args]
                if not wanted.isdisjoint(operands):
                    wanted.add(node)
                    profits = True
        wanted.update([var for var, value in values.items() if value in wanted])
        return profits

    def _of_one_type(self, call: Call) -> bool:
        types = [arg.checked_type for arg in call.args]
        return len(types) == 2 and all(structural_equal(t, call.checked_type) for t in types)

    def _put(self, node: Expr, cell: Expr) -> None:
        """Note the cell of ``node``, and what takes its place where a tensor is needed."""
        self._cells[node] = cell
        self._images[node] = Call(self._name("FromGradCell"), (cell,), span=node.span)

    def _let(self, let: Let) -> Let:
        var, body = self._cells[let.var], self._images[let.body]
        assert isinstance(var, Var)
        assert isinstance(body, Expr)
        return Let(var, self._cell(let.value), body, span=let.span)

    def _cell(self, expr: Expr) -> Expr:
        """Return ``expr`` as a cell, which it may have to be put into."""
        found = self._cells.get(expr)
        if found is not None:
            return found
        return Call(self._constructor("Raw"), (self._tensor(expr),), span=expr.span)

    def _tensor(self, expr: Expr) -> Expr:
        image = self._images[expr]
        assert isinstance(image, Expr)
        return image

    def _cell_of(self, call: Call) -> Expr:
        if call.op in INITIALISERS:
            made = call.with_fields(args=tuple([self._tensor(arg) for arg in call.args]))
            make = Function((), made)
            return Call(self._constructor(INITIALISERS[call.op]), (make,), span=call.span)
        ty = call.checked_type
        a, b = Var("a", ty), Var("b", ty)
        assert isinstance(call.op, Op)
        operator = Function((a, b), Call(call.op, (a, b), call.attrs))
        cells = [self._cell(arg) for arg in call.args]
        return Call(self._name(OVERLOADED[call.op]), (operator, *cells), span=call.span)

    def _name(self, name: str) -> GlobalVar:
        return self._mod.get_global_var(name)

    def _constructor(self, name: str) -> Constructor:
        return self._mod.get_constructor("GradCell", name)


def lazy_gradient_init(mod: IRModule) -> IRModule:
    """Return ``mod`` with zeros and ones made when their elements are needed.

    Results of ``zeros``, ``ones``, ``zeros_like`` and ``ones_like`` become cells, and so do sums
    and products of cells with tensors of the same type, and variables bound to these. Zeros are
    added, and ones multiplied by, without being made. Wherever else a cell is used, it is made into
    a tensor first. Sums may differ in the sign of a zero.

    Args:
        mod: A module with types; the definitions of ``gradient`` are imported where needed.

    Returns:
        ``mod`` itself when no sum or product has such an operand.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``LazyGradientInit``, which makes every tensor of a function a cell, and takes zero
        times infinity for zero.
    """
    chosen: dict[GlobalVar, _Initialiser] = {}
    for name, func in mod.functions.items():
        if isinstance(func, Function) and not is_skipped(func):
            initialiser = _Initialiser(func)
            if initialiser.choose():
                chosen[name] = initialiser
    if not chosen:
        return mod
    full = import_from_std(mod, "gradient")
    return infer_type(full.with_functions({n: i.rewrite(full) for n, i in chosen.items()}))


@register_pass(opt_level=2, infer_types=True, idempotent=True)
class LazyGradientInit(ModulePass):
    """Make zeros and ones when somebody needs their elements.

    Pass form of :func:`lazy_gradient_init`.
    """

    def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:  # noqa: ARG002
        """Return ``mod`` with cells for zeros and ones."""
        return lazy_gradient_init(mod)
