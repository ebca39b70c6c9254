"""Collectors and substitutions: what CINN's utilities of the IR find in a program, and replace."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from relayish.errors import DuplicateNameError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.roles import Access, Role
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.getters import NodesGetter, compile_getter
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind, Traversal
from relayish.ir.scopes.renaming import replace_nodes
from relayish.ir.scopes.scoping import PROGRAM, free_variables
from relayish.tir.functor import IRRewriter
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.operation import Operation
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import ScheduleBlock
from relayish.tir.ir.tensor import Buffer, Parameter, Tensor, Var
from relayish.tir.ir.traversal import NODES
from relayish.tir.substitution import copy_with_fresh_variables, replace_free_variables

# Any: keys of mappings are of the kinds that callers have
N = TypeVar("N", bound=IrNode)

Teller = Callable[[IrNode], bool]
"""Tells which nodes to collect."""


def collect_ir_nodes(
    root: IrNode | Sequence[IrNode], teller: Teller, *, uniq_target: bool = False
) -> tuple[IrNode, ...]:
    """Return the distinct nodes for which ``teller`` holds, in order of the tree, depth first.

    What is said about variables, tensors and buffers is looked at as well; ``teller`` is asked once
    of each node.

    Args:
        root: A program, or several parts of one.
        teller: Tells which nodes are meant.
        uniq_target: Stop at the first one: for questions whether there is one at all.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        CINN ``CollectIRNodes``.

    Example:
        >>> from relayish.tir.builders.tensor import placeholder
        >>> A, i = placeholder("A", (16,)), Var("i")
        >>> collect_ir_nodes(A[i] + A[i + 1], lambda node: isinstance(node, Var)) == (i,)
        True
    """
    return _collect(NODES, root, teller, uniq_target=uniq_target)


def collect_ir_nodes_without_tensor(
    root: IrNode | Sequence[IrNode], teller: Teller, *, uniq_target: bool = False
) -> tuple[IrNode, ...]:
    """Return what :func:`collect_ir_nodes` does, but nothing of which tensors are made.

    Tensors themselves are among it; their shapes, buffers and operations are not looked into.

    Source:
        CINN ``CollectIRNodesWithoutTensor``.
    """
    return _collect(NODES, root, teller, uniq_target=uniq_target, enter=_is_no_tensor)


def collect_ir_nodes_in_order(
    root: IrNode | Sequence[IrNode], teller: Teller
) -> tuple[IrNode, ...]:
    """Return the distinct nodes for which ``teller`` holds, those below a node before it.

    Source:
        CINN ``CollectIRNodesInOrder``.
    """
    order = NODES.post_order(root)
    return tuple([node for node in order if isinstance(node, IrNode) and teller(node)])


def collect_load_tensors(
    root: IrNode | Sequence[IrNode], teller: Callable[[Tensor], bool] | None = None
) -> tuple[Tensor, ...]:
    """Return the tensors that ``root`` reads, by loads or in calls, in order of the tree.

    Source:
        CINN ``CollectLoadTensors``.
    """
    return _collect_accessed(root, Access.READ, teller)


def collect_store_tensors(
    root: IrNode | Sequence[IrNode], teller: Callable[[Tensor], bool] | None = None
) -> tuple[Tensor, ...]:
    """Return the tensors that ``root`` writes, by stores or in calls, in order of the tree.

    Source:
        CINN ``CollectStoreTensors``.
    """
    return _collect_accessed(root, Access.WRITE, teller)


def collect_referenced_tensors(
    root: IrNode | Sequence[IrNode], teller: Callable[[Tensor], bool] | None = None
) -> tuple[Tensor, ...]:
    """Return the tensors that ``root`` reads or writes, in order of the tree.

    Source:
        CINN ``CollectReferencedTensors``, which leaves out those that are only written.
    """
    return _collect_accessed(root, Access.READ | Access.WRITE, teller)


def collect_tensor_map(
    root: IrNode | Sequence[IrNode], teller: Callable[[Tensor], bool] | None = None
) -> dict[str, Tensor]:
    """Return the tensors that ``root`` reads or writes, by name.

    Raises:
        DuplicateNameError: If two of them have one name.

    Source:
        CINN ``CollectTensorMap``.
    """
    found: dict[str, Tensor] = {}
    for tensor in collect_referenced_tensors(root, teller):
        known = found.setdefault(tensor.name, tensor)
        if known is not tensor and not structural_equal(known, tensor):
            raise DuplicateNameError(
                f"two tensors are called {tensor.name!r}: {describe(known)} and "
                f"{describe(tensor)}; names tell tensors apart: give one of them another"
            )
    return found


def collect_buffers(root: IrNode | Sequence[IrNode]) -> tuple[Buffer, ...]:
    """Return the buffers of ``root``, and of the tensors that it names, in order of the tree."""
    found = _collect(PROGRAM, root, lambda node: isinstance(node, Buffer))
    return tuple([node for node in found if isinstance(node, Buffer)])


def collect_undefined_vars(root: IrNode) -> tuple[Parameter, ...]:
    """Return the variables and buffers that ``root`` uses and does not bind, by first occurrence.

    Source:
        CINN ``CollectUndefinedVars``, which knows the variables of loops only.

    Example:
        >>> from relayish.tir.builders.stmt import for_, store
        >>> from relayish.tir.builders.tensor import placeholder
        >>> A, n = placeholder("A", (16,)), Var("n")
        >>> found = collect_undefined_vars(for_("i", n, lambda i: store(A, 0, i)))
        >>> [each.name for each in found]
        ['n', '_A']
    """
    return tuple([node for node in free_variables(root) if isinstance(node, Parameter)])


def ir_equal(lhs: IrNode, rhs: IrNode, *, allow_name_suffix_diff: bool = False) -> bool:
    """Return whether two programs are equal up to their variables, those that are free included.

    Args:
        lhs: A program, or a part of one.
        rhs: What to compare with it.
        allow_name_suffix_diff: Whether names of tensors, blocks, functions and modules, which
            count, may differ by a number behind them: ``A_0`` and ``A_12`` are both ``A`` then.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        CINN ``IrEqualVisitor``, which forgets the value of a store and the axes of a reduction.

    Example:
        >>> from relayish.tir.builders.tensor import placeholder
        >>> first, second = placeholder("A_0", (16,)), placeholder("A_12", (16,))
        >>> ir_equal(first, second), ir_equal(first, second, allow_name_suffix_diff=True)
        (False, True)
    """
    if allow_name_suffix_diff:
        lhs, rhs = _SuffixRemover().visit(lhs), _SuffixRemover().visit(rhs)
    return structural_equal(lhs, rhs, map_free_vars=True)


class _SuffixRemover(IRRewriter):
    def rewrite_ir_node(self, pre: IrNode, post: IrNode) -> IrNode:  # noqa: ARG002 - as all
        if isinstance(post, (Tensor, ScheduleBlock, LoweredFunc, Module, Operation)):
            return post.with_fields(name=_SUFFIX.sub("", post.name))
        return post


_SUFFIX: Final = re.compile(r"(_\d+)+$")


def ir_copy(root: N) -> N:
    """Return a copy of ``root`` that binds variables of its own.

    Nodes never change, so that a program need not be copied to be kept. A copy is needed where the
    same statements are to stand in a second place.

    Source:
        CINN ``IRCopy``.
    """
    return copy_with_fresh_variables(root)


def ir_replace(root: N, what: IrNode, by: IrNode) -> N:
    """Return ``root`` with ``by`` in the place of each node that is structurally equal to ``what``.

    Variables and buffers are equal as objects only. What is put in is not looked into.

    Returns:
        ``root`` itself where there is no such node.

    Complexity:
        Linear in the number of distinct nodes, those of the kind of ``what`` times its size.

    Source:
        CINN ``IrReplace``.
    """
    kind = type(what)
    equal = [n for n in NODES.post_order(root) if type(n) is kind and structural_equal(n, what)]
    return replace_nodes(root, dict.fromkeys(equal, by), traversal=NODES)


def replace_var_with_expr(root: N, images: Mapping[Var, Expr]) -> N:
    """Return ``root`` with expressions for free variables; what it binds is renamed where needed.

    Returns:
        ``root`` itself where none of the variables occurs.

    Raises:
        PassError: If ``root`` binds one of the variables.

    Source:
        CINN ``ReplaceVarWithExpr``, which takes one variable at a time.
    """
    return replace_free_variables(root, images)


def replace_call_with_expr(root: N, name: str, by: Callable[[Call], IrNode]) -> N:
    """Return ``root`` with ``by(call)`` for each call of the function ``name``, inner ones first.

    Source:
        CINN ``ReplaceCallWithExpr``.
    """
    made: N = _CallReplacer(name, by).visit(root)  # type: ignore[assignment]  # by says which
    return made


class _CallReplacer(IRRewriter):
    def __init__(self, name: str, by: Callable[[Call], IrNode]) -> None:
        self._name = name
        self._by = by

    def rewrite_call(self, pre: Call, post: Call) -> IrNode:  # noqa: ARG002 - as all handlers
        return self._by(post) if post.name == self._name else post


def _collect(
    traversal: Traversal,
    root: IrNode | Sequence[IrNode],
    teller: Teller,
    *,
    uniq_target: bool = False,
    enter: Callable[[Node], bool] | None = None,
) -> tuple[IrNode, ...]:
    found: list[IrNode] = []
    for node in traversal.pre_order(root, enter):
        if isinstance(node, IrNode) and teller(node):
            found.append(node)
            if uniq_target:
                break
    return tuple(found)


def _is_no_tensor(node: Node) -> bool:
    return not isinstance(node, Tensor)


def _collect_accessed(
    root: IrNode | Sequence[IrNode], access: Access, teller: Callable[[Tensor], bool] | None
) -> tuple[Tensor, ...]:
    """Return the tensors that a node which is evaluated reads or writes."""
    found: dict[Tensor, None] = {}
    for node in PROGRAM.pre_order(root):
        for held, accessed in _ACCESSES[type(node)]:
            if not accessed & access:
                continue
            for tensor in held(node):
                if isinstance(tensor, Tensor) and (teller is None or teller(tensor)):
                    found[tensor] = None
    return tuple(found)


def _accesses_of_kind(kind: type[Node]) -> list[tuple[NodesGetter, Access]]:
    """Return what gives the operands of each field, and what is done with tensors among them.

    An operand of which a field says nothing is read, as an argument of a call.
    """
    fields = [f for f in kind.fields_ if f.role is Role.OPERAND]
    return [(compile_getter([f]), f.access & Access.BOTH or Access.READ) for f in fields]


_ACCESSES: Final = ByKind(_accesses_of_kind)
