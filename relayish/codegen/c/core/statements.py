"""Handlers that write statements of core as C: blocks, branches, loops, and marks."""

from __future__ import annotations

from pathlib import PurePath

from relayish.codegen.c.core.context import CoreCtx
from relayish.codegen.c.core.tools import Tools
from relayish.codegen.c.names import comment
from relayish.core.ir import stmt as stmts
from relayish.core.ir.family import Expr, Stmt
from relayish.core.ir.memory import type_of
from relayish.domain import register_handler
from relayish.domain.dispatch import Dispatch
from relayish.errors import CodegenError
from relayish.ir.kinds.one_line import quote
from relayish.tir.analysis.flow.environments import NOTHING_KNOWN, Environment


@register_handler("c")
class CoreToC(Tools, domain="core"):
    """Writes core as C.

    What programs mean is kept: integers wrap around, memory is what the machine of core makes of
    it, faults end the function with a status. A handler that derives from this one overrides what
    becomes of a kind; those of other domains write theirs by the same context.
    """

    def handle_block(self, visitor: Dispatch, node: stmts.Block) -> None:
        ctx: CoreCtx = visitor.context
        for stmt in node.stmts:
            if stmt.span is not None and not ctx.program.hosted:
                place = stmt.span._replace(source_name=PurePath(stmt.span.source_name).name)
                ctx.line(comment(f"{type(stmt).visit_name}, {place}"))
            ctx.run(visitor, stmt)

    def handle_if(self, visitor: Dispatch, node: stmts.If) -> None:
        ctx: CoreCtx = visitor.context
        condition = ctx.text(visitor, node.condition)
        has_else = bool(node.else_block.stmts)
        with ctx.braces(f"if ({condition.text})", node, "} else {" if has_else else "}"):
            ctx.run(visitor, node.then_block)
        if has_else:
            with ctx.braces("", node):
                ctx.lines.pop()  # the brace stands behind the else
                ctx.run(visitor, node.else_block)

    def handle_do_loop(self, visitor: Dispatch, node: stmts.DoLoop) -> None:
        ctx: CoreCtx = visitor.context
        held, place = type_of(node.iv), ctx.place(node.iv)
        init = ctx.text(visitor, node.init)
        is_plain = not place.is_memory and place.flag is None  # so nothing unseen writes it
        after_body = NOTHING_KNOWN
        if is_plain and ctx.facts is not None:
            after_body = ctx.facts.after_body(node)
        compare = self._in_head(visitor, node.compare, NOTHING_KNOWN) if is_plain else None
        step = self._in_head(visitor, node.increment, after_body) if is_plain else None
        if compare is not None and step is not None:
            is_one = step == f"{place.name} + 1"
            step = f"++{place.name}" if is_one else f"{place.name} = {step}"
            with ctx.braces(f"for ({place.name} = {init.text}; {compare}; {step})", node):
                ctx.run(visitor, node.body)
            return
        ctx.store(node.iv, init, held)
        with ctx.braces("for (;;)", node):
            self._leave_unless(visitor, node.compare)
            self._body(visitor, node.body, node)
            with ctx.anew(node.increment), ctx.knowing(after_body):
                ctx.store(node.iv, ctx.text(visitor, node.increment), held)

    def handle_while_do(self, visitor: Dispatch, node: stmts.WhileDo) -> None:
        ctx: CoreCtx = visitor.context
        head = self._in_head(visitor, node.condition, NOTHING_KNOWN)
        with ctx.braces("for (;;)" if head is None else f"while ({head})", node):
            if head is None:
                self._leave_unless(visitor, node.condition)
            ctx.run(visitor, node.body)

    def handle_do_while(self, visitor: Dispatch, node: stmts.DoWhile) -> None:
        ctx: CoreCtx = visitor.context
        head = self._in_head(visitor, node.condition, NOTHING_KNOWN)
        if head is not None:
            with ctx.braces("do", node, f"}} while ({head});"):
                ctx.run(visitor, node.body)
            return
        with ctx.braces("for (;;)", node):
            self._body(visitor, node.body, node)
            self._leave_unless(visitor, node.condition)

    @staticmethod
    def _body(visitor: Dispatch, body: stmts.Block, node: Stmt) -> None:
        ctx: CoreCtx = visitor.context
        with ctx.braces("", node):
            ctx.run(visitor, body)

    @staticmethod
    def _in_head(visitor: Dispatch, expr: Expr, known: Environment) -> str | None:
        """Return an expression as the head of a loop has it; ``None`` if it needs lines before."""
        ctx: CoreCtx = visitor.context
        before = len(ctx.lines)
        with ctx.anew(expr), ctx.knowing(known):
            made = ctx.text(visitor, expr).text
        if len(ctx.lines) == before:
            return made
        del ctx.lines[before:]
        return None

    @staticmethod
    def _leave_unless(visitor: Dispatch, condition: Expr) -> None:
        """Write that a loop ends unless a condition holds, which is computed anew each time."""
        ctx: CoreCtx = visitor.context
        with ctx.anew(condition):
            ctx.line(f"if (!{ctx.text(visitor, condition).at(14)}) break;")

    # Marks

    def handle_pragma(self, visitor: Dispatch, node: stmts.Pragma) -> None:
        visitor.context.line(comment(f"pragma {node.name} {node.value}"))

    def handle_end_stmt_list(self, visitor: Dispatch, node: stmts.EndStmtList) -> None:
        """Write nothing: the block ends."""

    def handle_invalid(self, visitor: Dispatch, node: stmts.Invalid) -> None:  # noqa: ARG002
        """Refuse what a pass is still to replace."""
        raise CodegenError(f"{quote(node)} marks what a pass is still to replace")
