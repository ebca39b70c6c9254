"""Rewriting bottom-up: ``rewrite_<kind>(pre, post)`` sees a node with its children rewritten.

``pre`` is the node of the program, ``post`` the same node over the rewritten children (``pre``
itself where nothing below changed). What a handler returns stands for the node; it is not visited
again. Handlers never recurse, so no program is too deep.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from relayish.errors import DeclarationError
from relayish.functor.expr_functor import ExprMutator
from relayish.functor.functor import OVERRIDDEN, Mutator
from relayish.functor.vtable import (
    Handler,
    VTable,
    check_handler_names,
    default_handler,
    find_handler,
    is_default,
)
from relayish.ir.node import Node
from relayish.ir.relay.adt import Constructor, Match
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

_FINAL: Final = ("call", "tuple", "tuple_getitem")


class RewriteHandlers:
    """The handlers ``rewrite_<kind>``; each returns ``post`` unless overridden."""

    _rewrites: ClassVar[VTable]

    def __init_subclass__(cls, **options: Any) -> None:  # Any: passed on to other bases
        super().__init_subclass__(**options)
        check_handler_names(cls, RewriteHandlers, "rewrite_", (Expr,))
        cls._rewrites = VTable(lambda kind: find_handler(cls, "rewrite_", kind))

    @default_handler
    def rewrite_call(self, pre: Call, post: Call) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_let(self, pre: Let, post: Let) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_if(self, pre: If, post: If) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_function(self, pre: Function, post: Function) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_tuple(self, pre: Tuple, post: Tuple) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_var(self, pre: Var, post: Var) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_global_var(self, pre: GlobalVar, post: GlobalVar) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_constant(self, pre: Constant, post: Constant) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_op(self, pre: Op, post: Op) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_constructor(self, pre: Constructor, post: Constructor) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_match(self, pre: Match, post: Match) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_ref_create(self, pre: RefCreate, post: RefCreate) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_ref_read(self, pre: RefRead, post: RefRead) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post

    @default_handler
    def rewrite_ref_write(self, pre: RefWrite, post: RefWrite) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``."""
        return post


class ExprRewriter(RewriteHandlers):
    """Rewrites single nodes; :func:`post_order_rewrite` applies it to a program.

    Source:
        Relay ``ExprRewriter``.

    Example:
        >>> class Unwrap(ExprRewriter):
        ...     def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        ...         tup = post.tuple_value
        ...         return tup.fields[post.index] if type(tup) is Tuple else post
        >>> x = Var("x")
        >>> post_order_rewrite(TupleGetItem(Tuple((x,)), 0), Unwrap()) is x
        True
    """


class MixedModeMutator(RewriteHandlers, ExprMutator):
    """Rebuilds children before parents on an explicit stack, then asks ``rewrite_<kind>``.

    A subclass overrides ``rewrite_<kind>(pre, post)`` for any kind of node. A handler
    ``visit_<kind>`` of another kind than call, tuple and projection takes over for its node, as in
    :class:`ExprMutator`, and then decides what below it is visited.

    Raises:
        DeclarationError: If a subclass overrides ``visit_call``, ``visit_tuple`` or
            ``visit_tuple_getitem``: these are handled after their children.

    Source:
        Relay ``MixedModeMutator``; ``rewrite_<kind>`` is there for all kinds, not for three.
    """

    def __init_subclass__(cls, **options: Any) -> None:  # Any: passed on to other bases
        super().__init_subclass__(**options)
        for kind in _FINAL:
            if not is_default(getattr(cls, f"visit_{kind}")):
                raise DeclarationError(
                    f"{cls.__name__} overrides visit_{kind}; in a MixedModeMutator children are "
                    f"visited beforehand: define rewrite_{kind}(self, pre, post) instead"
                )

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        """Return what serves a kind without a handler where ``visit`` is overridden."""
        handler = super()._missing(kind)
        return _rewrite_after_children if handler is Mutator.mutate_children else handler

    @property
    def _rewriter(self) -> RewriteHandlers:
        return self

    def _mutate(self, root: Node) -> None:
        levels = self._levels
        levels.depth += 1  # handlers of all kinds may visit what is no child
        try:
            self._rewrite_below(root)
        finally:
            levels.depth -= 1

    def _rewrite_below(self, root: Node) -> None:
        memo, table, rebuild = self.memo_map, self._push, self._rebuild
        rewriter = self._rewriter
        rewrites = rewriter._rewrites  # noqa: SLF001 - another rewriter's table, of this module
        get, images = memo.get, self._images
        stack: list[Node | None] = [root]
        pop, append = stack.pop, stack.append
        while stack:
            node = pop()
            if node is None:
                node = pop()
                assert node is not None
                kind = type(node)
                image = rebuild[kind](node, get)
                rewrite = rewrites[kind]
                if rewrite is not None:
                    image = rewrite(rewriter, node, image)
                    if type(image) not in images[kind]:
                        self._checked(node, image)
                memo[node] = image
                continue
            if node in memo:
                continue
            push = table[type(node)]
            if push is None:
                rewrite = rewrites[type(node)]
                memo[node] = (
                    node if rewrite is None else self._checked(node, rewrite(rewriter, node, node))
                )
            elif push is OVERRIDDEN:
                memo[node] = self._checked(node, self._handlers[type(node)](self, node))
            else:
                append(node)
                append(None)
                push(node, memo, append)


def _rewrite_after_children(self: MixedModeMutator, pre: Expr) -> object:
    post = self.mutate_children(pre)
    rewriter = self._rewriter
    rewrite = rewriter._rewrites[type(pre)]  # noqa: SLF001 - a table of this module
    return post if rewrite is None else rewrite(rewriter, pre, post)


class _PostOrder(MixedModeMutator):
    """Applies the handlers of another object."""

    def __init__(self, rewriter: ExprRewriter) -> None:
        self._applied = rewriter

    @property
    def _rewriter(self) -> RewriteHandlers:
        return self._applied


def post_order_rewrite(expr: Expr, rewriter: ExprRewriter) -> Expr:
    """Return ``expr`` with every distinct node, children first, rewritten once by ``rewriter``.

    Returns:
        ``expr`` itself when nothing changed; sharing is preserved.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``PostOrderRewrite``.
    """
    return _PostOrder(rewriter).visit(expr)
