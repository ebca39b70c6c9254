"""Mark which calls another compiler takes over.

Before, where ``nn.relu`` is registered for the target ``"dnnl"``::

    exp(nn.relu(%x))

After::

    %0 = annotation.compiler_begin(%x, compiler="dnnl");
    %1 = nn.relu(%0);
    %2 = annotation.compiler_end(%1, compiler="dnnl");
    %3 = annotation.compiler_begin(%2, compiler="default");
    %4 = exp(%3);
    annotation.compiler_end(%4, compiler="default")
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Final, TypeVar
from weakref import WeakKeyDictionary

from relayish.errors import IgnoredNameWarning, PassError, suggest
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import (
    Call,
    Expr,
    Function,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
)
from relayish.ir.relay.function_attributes import COMPOSITE, find_attribute, is_composite, is_fused
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.replacing import rebuild_fields
from relayish.ir.scopes.scoping import has_parts
from relayish.op.declaration.target import DEFAULT, is_supported, target_names
from relayish.pass_infra import register_pass
from relayish.passes.relay.offload.annotations import begin, compiler_of, end, is_begin, is_end

_E = TypeVar("_E", bound=Expr)


class _Annotator(ExprRewriter):
    """Puts marks around calls, and around tuples, projections and references if asked to."""

    def __init__(
        self,
        targets: Sequence[str],
        claimed: set[Node],
        *,
        include_non_call_ops: bool,
        keeps_types: bool,
    ) -> None:
        self._targets = targets
        self._claimed = claimed
        self._non_calls = include_non_call_ops
        self._table = EXPRESSIONS.retain if keeps_types else EXPRESSIONS.rebuild
        self._target_of: dict[Node, str] = {}
        self.keeps_types = keeps_types
        self.meets_names = False
        """Whether a mark is around a name, which carries no type."""

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if is_begin(post) or pre in self._claimed:
            return post  # what takes it deals with it
        if is_end(post):
            (value,) = post.args
            target = self._target_of.get(value, compiler_of(post))
            return post if target == compiler_of(post) else self._mark(end, value, target)
        if type(pre.op) is not Op and not self._non_calls and not _composite_target(pre.op):
            return self._refill(post, args=self._end_all(post.args))
        if any(is_begin(arg) and compiler_of(arg) != DEFAULT for arg in post.args):
            return post
        target = self._choose(pre)
        if post.args and all(is_begin(arg) and compiler_of(arg) == target for arg in post.args):
            return post
        args = tuple([self._begin(arg, target) for arg in post.args])
        image = self._refill(post, args=args)
        self._target_of[image] = target
        return image

    def _refill(self, post: _E, **changes: object) -> _E:
        """Return ``post`` with some fields replaced, by what has the types of what stood there."""
        if self.keeps_types:
            return post.with_fields(**changes, checked_type=post.checked_type)
        return post.with_fields(**changes)

    def _choose(self, call: Call) -> str:
        """Return the first target that takes ``call``."""
        if type(call.op) is Op:
            return next((t for t in self._targets if is_supported(call, t)), DEFAULT)
        composite = _composite_target(call.op)
        return DEFAULT if composite not in self._targets or composite is None else composite

    def rewrite_tuple(self, pre: Tuple, post: Tuple) -> Expr:
        if pre in self._claimed:
            return post
        if not self._non_calls:
            ended = self._end_all(post.fields)
            return self._refill(post, fields=ended)
        fields = self._begin_together(post.fields)
        if fields is post.fields:
            return post
        image = self._refill(post, fields=fields)
        self._target_of[image] = compiler_of(fields[0])
        return image

    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        if pre in self._claimed:
            return post
        if not self._non_calls:
            ended = self._end(post.tuple_value)
            return self._refill(post, tuple_value=ended)
        operands = (post.tuple_value,)
        begun = self._begin_together(operands)
        if begun is operands:
            return post
        image = self._refill(post, tuple_value=begun[0])
        self._target_of[image] = compiler_of(begun[0])
        return image

    def rewrite_ref_create(self, pre: RefCreate, post: RefCreate) -> Expr:
        return self._rewrite_reference(pre, post)

    def rewrite_ref_read(self, pre: RefRead, post: RefRead) -> Expr:
        return self._rewrite_reference(pre, post)

    def rewrite_ref_write(self, pre: RefWrite, post: RefWrite) -> Expr:
        return self._rewrite_reference(pre, post)

    def _rewrite_reference(self, pre: Expr, post: Expr) -> Expr:
        """Mark what has to do with a reference for the default: no other compiler may move it."""
        if pre in self._claimed:
            return post
        if not self._non_calls:
            return self.rewrite_expr(pre, post)
        if all(map(is_begin, EXPRESSIONS.children(post))):
            return post
        image: Expr = self._table[type(post)](post, self._begin_by_default)
        self._target_of[image] = DEFAULT
        return image

    def _begin_by_default(self, child: Node, _: object) -> Node:
        assert isinstance(child, Expr)
        return self._begin(child, DEFAULT)

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        if is_composite(pre) or is_fused(pre):  # taken over as a whole, or were already
            return pre
        return self._refill(post, body=self._end(post.body))

    def rewrite_expr(self, pre: Expr, post: Expr) -> Expr:  # noqa: ARG002
        """End what nodes of other kinds hold, which no compiler takes over: it is seen to apart."""
        kind = type(post)
        if kind in ATOMS:
            return post
        if has_parts(kind):
            ended: Expr = rebuild_fields(post, self._end_held)
            if ended is post or not self.keeps_types:
                return ended
            return ended.with_fields(checked_type=post.checked_type)
        image: Expr = self._table[kind](post, self._end_child)
        return image

    def _end_child(self, child: Node, _: object) -> Node:
        if child not in self._target_of:
            return child
        assert isinstance(child, Expr)
        return self._end(child)

    def _end_held(self, owner: Node, field: Field, held: Node) -> Node:  # noqa: ARG002
        if field.role not in (Role.OPERAND, Role.SCOPE) or not isinstance(held, Expr):
            return held
        return self._end(held)

    def _end(self, value: Expr) -> Expr:
        """Return ``value``, ended if it was taken over and takes something itself."""
        target = self._target_of.get(value)
        if target is None or (type(value) is Call and not value.args):
            return value
        return self._mark(end, value, target)

    def _mark(self, mark: Callable[[Expr, str], Call], value: Expr, target: str) -> Call:
        if value.checked_type is None:
            self.meets_names = True
        return mark(value, target)

    def _end_all(self, values: tuple[Expr, ...]) -> tuple[Expr, ...]:
        found = tuple([self._end(value) for value in values])
        same = all(new is old for new, old in zip(found, values, strict=True))
        return values if same else found

    def _begin(self, value: Expr, target: str) -> Expr:
        """Return ``value`` as it enters ``target``, from wherever it was computed."""
        if is_begin(value):
            (value,) = value.args  # one of the default: others were seen to before
        source = self._target_of.get(value)
        ended = value if source is None else self._mark(end, value, source)
        return self._mark(begin, ended, target)

    def _begin_together(self, values: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """Return ``values`` as they enter the target they all come from, or else the default."""
        if all(map(is_begin, values)):
            return values
        sources = {self._source(value) for value in values}
        target = sources.pop() if len(sources) == 1 else DEFAULT
        return tuple([self._begin(value, target) for value in values])

    def _source(self, value: Expr) -> str:
        if is_begin(value):
            (value,) = value.args
        return compiler_of(value) if is_end(value) else self._target_of.get(value, DEFAULT)


def _find_claimed(expr: Expr) -> set[Node]:
    """Return what is between the marks of compilers other than the default."""
    found: set[Node] = set()
    for node in reversed(EXPRESSIONS.post_order(expr)):  # what uses a node comes before it
        if is_end(node) and compiler_of(node) != DEFAULT:
            found.update(node.args)
        elif node in found and not is_begin(node):
            found.update(EXPRESSIONS.children(node))
    return found


def _warn_of_unknown(names: Sequence[str], expr: Expr, mod: IRModule | None) -> None:
    known = target_names()
    for name in names:
        if name in known or name in _composite_targets(expr if mod is None else mod):
            continue
        warnings.warn(
            f"AnnotateTarget: no operator is registered for the target {name!r}, and no composite "
            f"function is named after it, so it takes nothing over{suggest(name, known)}; "
            f"register_target_support(op, {name!r}) says what it computes",
            IgnoredNameWarning,
            stacklevel=2,
        )


_COMPOSITES: Final[WeakKeyDictionary[Expr | IRModule, frozenset[str]]] = WeakKeyDictionary()


def _composite_targets(program: Expr | IRModule) -> frozenset[str]:
    """Return the targets that composite functions of a program are named after; found once."""
    found = _COMPOSITES.get(program)
    if found is None:
        roots = (program,) if isinstance(program, Expr) else program.functions_of(Expr).values()
        nodes = EXPRESSIONS.pre_order(tuple(roots))
        targets = {_composite_target(node) for node in nodes if isinstance(node, Expr)}
        found = _COMPOSITES[program] = frozenset(targets - {None})  # type: ignore[arg-type]
    return found


def _composite_target(op: Expr) -> str | None:
    """Return the target of a composite function: what its name says before the dot."""
    name = find_attribute(op, COMPOSITE)
    return None if name is None or "." not in name else name.partition(".")[0]


@register_pass(
    "AnnotateTarget", opt_level=0, required=("InferType",), infer_types=True, idempotent=True
)
def annotate_target(
    expr: Expr,
    *,
    targets: str | tuple[str, ...],
    include_non_call_ops: bool = True,
    mod: IRModule | None = None,
) -> Expr:
    """Target annotation: mark which calls another compiler takes over.

    Return ``expr`` with marks where values enter and leave what another compiler computes.

    A call is for the first of ``targets`` that takes its operator, see
    :func:`~relayish.op.declaration.target.register_target_support`, or is named in the
    ``Composite`` attribute of the function that is called; other calls are for the target
    ``"default"``. Marks that stand there already stay, unless they are for the default and another
    target takes the call.

    Args:
        expr: Any expression; predicates of targets may ask for types.
        targets: Names of compilers, the preferred ones first.
        include_non_call_ops: Mark tuples and projections as well, for the target that all of their
            operands come from, and for the default what creates, reads and writes references, and
            calls of closures and constructors.
        mod: Where composite functions named after targets may be, besides ``expr``.

    Returns:
        ``expr`` itself when everything was marked before.

    Warns:
        IgnoredNameWarning: If nothing is known that a target computes.

    Complexity:
        Linear in distinct nodes and edges; no recursion.

    Source:
        Relay ``AnnotateTarget``, where references, too, are for the target of their operands.
    """
    names = (targets,) if isinstance(targets, str) else tuple(targets)
    for name in names:
        if not name or name == DEFAULT:
            raise PassError(f"AnnotateTarget: {name!r} is no target; expected names of compilers")
    _warn_of_unknown(names, expr, mod)
    claimed = _find_claimed(expr)
    for keeps_types in (True, False):
        annotator = _Annotator(
            names, claimed, include_non_call_ops=include_non_call_ops, keeps_types=keeps_types
        )
        image = post_order_rewrite(expr, annotator)
        if not annotator.meets_names:
            break
    return image
