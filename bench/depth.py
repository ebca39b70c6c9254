"""Take every kind of nest to a depth and put it through everything there is.

    python bench/depth.py                # one million levels; takes a while
    python bench/depth.py 100000         # fewer

Each row is a nest, each cell the seconds of one operation; any overflow, crash or wrong result ends
the row with what went wrong. Each nest runs in a process of its own, at the default recursion
limit, which is checked afterwards.
"""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

STYLE_LEVELS = 100_000
"""How deep the visitor goes that crosses C at each level."""


def operations(nest: str, levels: int) -> dict[str, Callable[[], object]]:
    from relayish.analysis import free_vars, infer_type, well_formed
    from relayish.functor import (
        ExprMutator,
        ExprRewriter,
        ExprVisitor,
        MixedModeVisitor,
        post_order_rewrite,
    )
    from relayish.interpreter import evaluate
    from relayish.ir.equality.structural_equal import structural_equal
    from relayish.ir.equality.structural_hash import structural_hash
    from relayish.ir.nodes.node import Node
    from relayish.ir.relay.expr import Constant, Expr, Function, If, Let, Var
    from relayish.ir.relay.type import scalar_type
    from relayish.passes import eliminate_dead_code, fold_constant
    from relayish.text import astext, parse_expr
    from tests.support.deep import DEEP_NESTS

    if nest == "type_nest":
        return type_operations(levels)

    build = DEEP_NESTS[nest]
    condition = nest == "if_cond"
    leaf, other = Constant(condition or 0), Constant(not condition if condition else 7)
    state: dict[str, Any] = {}

    class Leaves(ExprMutator):
        def visit_constant(self, const: Constant) -> Expr:
            return other if const is leaf else const

    class LetVisitor(ExprVisitor):
        def visit_let(self, let: Let) -> None:
            self.visit(let.var)
            self.visit(let.value)
            self.visit(let.body)

    class IfVisitor(ExprVisitor):
        def visit_if(self, branch: If) -> None:
            self.visit(branch.cond)
            self.visit(branch.true_branch)
            self.visit(branch.false_branch)

    class EveryKind(ExprVisitor):
        def visit_node(self, node: Node) -> None:
            for child in self.traversal.children(node):
                self.visit(child)

    class ThroughC(ExprVisitor):
        def visit_node(self, node: Node) -> int:
            return len(tuple(self.visit(child) for child in self.traversal.children(node)))

    class Rewriter(ExprRewriter):
        def rewrite_constant(self, pre: Constant, post: Constant) -> Expr:
            return other if pre is leaf else post

    def make() -> bool:
        state["e"] = build(levels, leaf)
        return True

    def identity() -> bool:
        return ExprMutator().visit(state["e"]) is state["e"]

    def changed() -> bool:
        state["other"] = Leaves().visit(state["e"])
        return state["other"] is not state["e"]

    def rewritten() -> bool:
        image = post_order_rewrite(state["e"], Rewriter())
        return structural_equal(image, state.pop("other"))

    def equal() -> bool:
        state["copy"] = build(levels, Constant(leaf.data))
        return structural_equal(state["e"], state["copy"])

    def printed() -> bool:
        state["text"] = astext(state["e"])
        return len(state["text"]) > levels

    def parsed() -> bool:
        return structural_equal(parse_expr(state.pop("text")), state["e"])

    def inferred() -> bool:
        expr = state["e"]
        if nest == "function_nest":  # nothing tells what its parameters are
            expr = leaf
            for _ in range(levels):
                expr = Function((Var("x", scalar_type("int32")),), expr)
        typed = infer_type(expr)
        return typed.checked_type is not None and infer_type(typed) is typed

    def unpickled() -> bool:
        return structural_equal(pickle.loads(state.pop("pickle")), state["e"])

    def pickled() -> bool:
        state["pickle"] = pickle.dumps(state["e"])
        return True

    def copied() -> bool:
        return structural_equal(copy.deepcopy(state["e"]), state["e"])

    def freed() -> bool:
        state.clear()
        gc.collect()
        return True

    def shallow() -> bool:
        state["small"] = build(min(levels, STYLE_LEVELS))
        return ThroughC().visit(state.pop("small")) is not None

    return {
        "build": make,
        "visit": lambda: ExprVisitor().visit(state["e"]) is None,
        "visit post-order": lambda: MixedModeVisitor().visit(state["e"]) is None,
        "mutate, identity": identity,
        "mutate, one leaf": changed,
        "rewrite": rewritten,
        "own visit_let": lambda: LetVisitor().visit(state["e"]) is None,
        "own visit_if": lambda: IfVisitor().visit(state["e"]) is None,
        "own every kind": lambda: EveryKind().visit(state["e"]) is None,
        f"through C, {STYLE_LEVELS:,}": shallow,
        "free_vars": lambda: free_vars(state["e"]) == (),
        "well_formed": lambda: well_formed(state["e"]),
        "structural_equal": equal,
        "structural_hash": lambda: structural_hash(state["e"]) == structural_hash(state["copy"]),
        "print": printed,
        "parse": parsed,
        "fold": lambda: fold_constant(state["e"]) is not None,
        "dead code": lambda: eliminate_dead_code(state["e"]) is not None,
        "infer": inferred,
        "evaluate": lambda: evaluate(state["e"]) is not None,
        "pickle": pickled,
        "unpickle": unpickled,
        "copy": copied,
        "free": freed,
    }


def type_operations(levels: int) -> dict[str, Callable[[], object]]:
    from relayish.functor import TypeMutator, TypeVisitor
    from relayish.ir.equality.structural_equal import structural_equal
    from relayish.ir.equality.structural_hash import structural_hash
    from relayish.ir.nodes.node import Node
    from relayish.ir.relay.type import TensorType, Type
    from relayish.text import astext, parse_type
    from tests.support.deep import type_nest

    state: dict[str, Any] = {}

    class Leaves(TypeMutator):
        def visit_tensor_type(self, tensor: TensorType) -> Type:
            return TensorType((1,), tensor.dtype)

    class EveryKind(TypeVisitor):
        def visit_node(self, node: Node) -> None:
            for child in self.traversal.children(node):
                self.visit(child)

    def make() -> bool:
        state["t"], state["copy"] = type_nest(levels), type_nest(levels)
        return True

    def parsed() -> bool:
        return structural_equal(parse_type(astext(state["t"])), state["t"])

    def freed() -> bool:
        state.clear()
        gc.collect()
        return True

    def pickled() -> bool:
        return structural_equal(pickle.loads(pickle.dumps(state["t"])), state["t"])

    return {
        "build": make,
        "visit": lambda: TypeVisitor().visit(state["t"]) is None,
        "mutate, identity": lambda: TypeMutator().visit(state["t"]) is state["t"],
        "mutate, one leaf": lambda: Leaves().visit(state["t"]) is not state["t"],
        "own every kind": lambda: EveryKind().visit(state["t"]) is None,
        "structural_equal": lambda: structural_equal(state["t"], state["copy"]),
        "structural_hash": lambda: structural_hash(state["t"]) == structural_hash(state["copy"]),
        "print, parse": parsed,
        "pickle, unpickle": pickled,
        "copy": lambda: structural_equal(copy.deepcopy(state["t"]), state["t"]),
        "free": freed,
    }


def run(nest: str, levels: int) -> None:
    """Do everything with one nest; print a line for each operation."""
    limit = sys.getrecursionlimit()
    for name, operation in operations(nest, levels).items():
        start = time.perf_counter()
        outcome = operation()
        elapsed = time.perf_counter() - start
        verdict = "ok" if outcome is True or (outcome and outcome is not False) else "WRONG"
        print(f"{nest:16s} {name:22s} {elapsed:8.2f} s  {verdict}", flush=True)
        if sys.getrecursionlimit() != limit:
            sys.exit(f"{nest}: {name} left the recursion limit at {sys.getrecursionlimit()}")
    os._exit(0)


def main() -> None:
    levels = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    if len(sys.argv) > 2 and sys.argv[2] != "--only":
        run(sys.argv[2], levels)
    from tests.support.deep import DEEP_NESTS

    chosen = sys.argv[3].split(",") if len(sys.argv) > 3 else [*DEEP_NESTS, "type_nest"]
    failures = []
    for nest in chosen:
        command = [sys.executable, __file__, str(levels), nest]
        done = subprocess.run(command, check=False)
        if done.returncode != 0:
            failures.append(f"{nest}: exit code {done.returncode}")
    print("\n".join(failures) or f"all nests pass at {levels:,} levels")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
