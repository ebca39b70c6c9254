"""References kept by the compiled core: each entry many times, also where it fails.

python -m tests.support.kernel_counts 1000       # by a debug build, all references are counted

In a release build the blocks of memory are counted.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

from relayish import _kernel
from relayish._support.trampoline import Rule, run
from relayish.functor import (
    ExprMutator,
    ExprVisitor,
    MixedModeMutator,
    MixedModeVisitor,
    PostOrderVisitor,
)
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.nodes.node import Node, declared_temporarily, field, node
from relayish.ir.nodes.traversal import EVERYTHING, Traversal
from relayish.ir.relay.expr import Call, Constant, Expr, Let, Tuple, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.text.source import Source

ALLOWED: Final = 60
"""So many more are no growth: caches of the interpreter, and what a call leaves behind once."""

ADD: Final = intern_op("add")
X: Final = Var("x")
Y: Final = Var("y")
CALL: Final = Call(ADD, (X, Y))
PROGRAM: Final = Let(X, Tuple((Y, Constant(1), CALL, CALL)), Call(ADD, (X, Tuple((CALL, Y)))))


Attempts = Iterator[tuple[str, Callable[[], object]]]
"""By name, what succeeds or raises."""


def attempts() -> Attempts:
    """Yield what is tried."""
    partly: Any = object.__new__(Call)
    yield from _of_nodes(partly)
    yield from _of_walks(partly)
    yield from _of_functors(partly)
    yield from _of_rules()
    with declared_temporarily():

        @node("counted")
        class Counted(Expr):
            what: int
            body: Expr
            kept: Any = field(derived=True)

            @staticmethod
            def derive_kept(node: Any) -> Any:
                return (node, node.body, {})[node.what]

        yield "derived", lambda: Counted(1, X)
        yield "derived, of itself", lambda: Counted(0, X)
        yield "derived, cyclic", lambda: Counted(2, X)
        yield "derived, raises", lambda: Counted(3, X)


def fail(*_: Any) -> Any:
    """Raise, whatever is asked."""
    raise KeyError("failed")


def _of_nodes(partly: Any) -> Attempts:
    yield "construct", lambda: Call(ADD, (X, Y))
    yield "construct by names", lambda: Call(op=ADD, args=[X], attrs=None)
    yield "construct, repaired", lambda: Call(ADD, [X, Y])
    yield "construct, refused", lambda: Call(ADD, (X, 5, None))
    yield "construct, too few", lambda: Call(ADD)  # type: ignore[call-arg]
    yield "construct, too many", lambda: Call(*range(20))  # type: ignore[arg-type, call-arg]
    yield "construct, unknown", lambda: Call(ADD, (X,), spam=1)  # type: ignore[call-arg]
    yield "construct, twice", lambda: Call(ADD, (X,), op=ADD)  # type: ignore[misc]
    yield "make", lambda: Call._make(ADD, (X,), None, (), None, None)
    yield "make, too few", lambda: Call._make(ADD)
    yield "update, same", lambda: CALL.with_fields(args=[X, Y])
    yield "update", lambda: CALL.with_fields(args=(Y, X))
    yield "update, refused", lambda: CALL.with_fields(args=5)
    yield "update, unknown", lambda: CALL.with_fields(spam=5)
    yield "update, unset", lambda: partly.with_fields(op=X)
    yield "update of none", lambda: Node.with_fields(5, op=X)  # type: ignore[call-overload]
    for table, more in (("rebuild", ()), ("retype", (None,)), ("carry", ({},))):
        entry = getattr(EXPRESSIONS, table)[Call]
        yield table, lambda entry=entry, more=more: entry(CALL, {X: Y}.get, *more)
        yield f"{table}, same", lambda entry=entry, more=more: entry(CALL, {}.get, *more)
        yield f"{table}, raises", lambda entry=entry, more=more: entry(CALL, fail, *more)
        yield f"{table}, unset", lambda entry=entry, more=more: entry(partly, {}.get, *more)
        yield f"{table}, of other", lambda entry=entry, more=more: entry(X, {}.get, *more)


def _of_walks(partly: Any) -> Attempts:
    push = EXPRESSIONS.push[Call]
    push_all = EXPRESSIONS.push_all[Call]
    assert push is not None
    assert push_all is not None
    yield "push", lambda: push(CALL, {X: 1}, [].append)
    yield "push to other", lambda: push(CALL, set(), fail)
    yield "push, unset", lambda: push_all(partly, [].append, [].extend)
    yield "post-order", lambda: EVERYTHING.post_order(PROGRAM)
    yield "post-order, enter", lambda: EVERYTHING.post_order(PROGRAM, lambda node: node is not CALL)
    yield "post-order, raises", lambda: EVERYTHING.post_order([PROGRAM, CALL], enter=fail)
    yield "post-order, odd", lambda: EVERYTHING.post_order([PROGRAM, 5])  # type: ignore[list-item]
    lines, odd = Source("one\ntwo\n" * 200, "text"), Source("one", "text")
    odd.row = "0"  # type: ignore[assignment]
    yield "span", lambda: lines.span(4 * 399, 4 * 399 + 2)
    yield "span of lines", lambda: lines.span(0, 9)
    yield "span, odd", lambda: odd.span(0, 1)
    yield "span of none", lambda: lines.span(0, None)  # type: ignore[arg-type]
    yield "post-order of none", lambda: Traversal.post_order(5, X)  # type: ignore[arg-type]
    yield "hash", lambda: structural_hash(PROGRAM)
    yield "hash, unset", lambda: structural_hash(Tuple((partly, X)))
    yield "equal", lambda: structural_equal(PROGRAM, PROGRAM.with_fields(body=X))
    yield "equal, unset", lambda: structural_equal(partly, CALL)


def _of_rules() -> Attempts:
    def rule(last: Any) -> Rule:
        yield "text"
        return (yield last() if callable(last) else last)

    yield "rules", lambda: run(rule(lambda: rule("text")), [])
    yield "rules, failing", lambda: run(rule(lambda: rule(fail)), [])
    yield "rules, of no rule", lambda: run(rule(lambda: rule(5)))


def _of_functors(partly: Any) -> Attempts:
    def keep(_: Any, node: Any) -> Any:
        return node

    def odd(_: Any, __: Any) -> Any:
        return 5

    def mutated(functor: Any) -> object:
        functor.memo_map[Y] = X
        return functor.visit(PROGRAM)

    def counted(functor: Any, value: Any) -> object:
        functor.visit_counter[Y] = value
        return functor.visit(PROGRAM)

    classes = {
        base: [type("Made", (base,), {f"visit_{name}": do}) for name, do in handlers]
        for base, handlers in (
            (ExprVisitor, [("call", keep), ("call", fail), ("let", odd), ("node", fail)]),
            (PostOrderVisitor, [("call", keep), ("call", fail), ("let", odd)]),
            (MixedModeVisitor, [("call", keep), ("call", fail), ("let", odd)]),
            (ExprMutator, [("call", keep), ("call", fail), ("call", odd), ("var", fail)]),
            (MixedModeMutator, [("let", keep), ("constant", fail), ("var", odd)]),
        )
    }
    rewriting = {
        name: type("Made", (MixedModeMutator,), {"rewrite_call": do})
        for name, do in (("kept", lambda *a: a[2]), ("raises", fail), ("odd", lambda *_: 5))
    }
    for base, made in classes.items():
        for number, each in enumerate([base, *made]):
            yield f"{base.__name__} {number}", lambda each=each: each().visit(PROGRAM)
            yield f"{base.__name__} {number}, unset", lambda e=each: e().visit(Tuple((X, partly)))
            if issubclass(base, ExprMutator):
                yield f"{base.__name__} {number}, image", lambda each=each: mutated(each())
            else:
                for value in (1, 2.5, "a"):
                    name = f"{base.__name__} {number}, counted {value}"
                    yield name, lambda each=each, value=value: counted(each(), value)
    for name, each in rewriting.items():
        yield f"rewriter, {name}", lambda each=each: mutated(each())


def growth(attempt: Callable[[], object], times: int) -> int:
    """Return how many more references, or blocks, there are after so many attempts."""
    count = getattr(sys, "gettotalrefcount", sys.getallocatedblocks)

    def run(many: int) -> None:
        for _ in range(many):
            with contextlib.suppress(Exception):
                attempt()

    run(20)
    gc.collect()
    before = count()
    run(times)
    gc.collect()
    return int(count() - before)


def grown(times: int) -> list[str]:
    """Return what grows."""
    gc.collect()
    gc.freeze()  # what there is now is not looked through again
    found = []
    for name, attempt in attempts():
        for _ in range(3):  # what grows at first fills a cache, in pure Python too
            count = growth(attempt, times)
            if count <= ALLOWED:
                break
        else:
            found.append(f"{name}: {count}")
    gc.unfreeze()
    return found


def main() -> int:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    found = grown(times)
    unit = "references" if hasattr(sys, "gettotalrefcount") else "blocks"
    tried = sum(1 for _ in attempts())
    sys.stdout.write(f"compiled {_kernel.compiled}: {tried} entries, {times} times each, {unit}: ")
    sys.stdout.write(f"{len(found)} grow\n" + "".join(f"{line}\n" for line in found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
