"""Two languages of statements, as other packages declare them: cores of AIR and of CINN.

They are declared by their fields alone, and known while ``DECLARED`` is entered.
"""

from __future__ import annotations

from relayish.ir.domains.language import Language
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Atom, Role, Runs
from relayish.ir.nodes.node import Node, declared_temporarily, field, node

DECLARED = declared_temporarily()

with DECLARED:

    class Air(Node, language=Language("air_core")):
        __slots__ = ()
        visit_name = "air"

    @node("sym", atom=Atom.VARIABLE)
    class Sym(Air):
        name: str = field(hint=True)

    @node("intconst", atom=Atom.LITERAL)
    class IntConst(Air):
        value: int

    @node("ld", effect=Effect.READS)
    class Ld(Air):
        sym: Sym = field(access=Access.READ)

    @node("st", effect=Effect.WRITES)
    class St(Air):
        sym: Sym = field(access=Access.WRITE)
        value: Air

    @node("ist", effect=Effect.WRITES)
    class Ist(Air):
        address: Air = field(access=Access.WRITE | Access.INDIRECT)
        value: Air

    @node("add", effect=Effect.NONE)
    class Add(Air):
        lhs: Air
        rhs: Air

    @node("block", effect=Effect.NONE)
    class Block(Air):
        statements: tuple[Air, ...] = field(scope=Runs.ONCE, block=True)

    @node("if", effect=Effect.NONE)
    class If(Air):
        cond: Air
        then: Block = field(scope=Runs.ONE_OF)
        other: Block | None = field(scope=Runs.ONE_OF, default=None)

    @node("do_loop", effect=Effect.WRITES)
    class DoLoop(Air):
        """Set ``iv`` to ``init``; while ``compare``: run ``body``, set ``iv`` to ``increment``."""

        iv: Sym = field(access=Access.WRITE)
        init: Air
        compare: Air = field(scope=Runs.REPEATEDLY)
        increment: Air = field(scope=Runs.REPEATEDLY)
        body: Block = field(scope=Runs.REPEATEDLY)

    @node("call")
    class Call(Air):
        entry: str
        args: tuple[Air, ...]
        returned: Sym | None = field(access=Access.WRITE, default=None)

    @node("declare", effect=Effect.NONE)
    class Declare(Air):
        """A statement: ``sym``, from here to the end of the block, with its first value."""

        sym: Sym = field(binder=True, declares=True)
        value: Air

    @node("func_entry", effect=Effect.NONE)
    class FuncEntry(Air):
        formals: tuple[Sym, ...] = field(binder=True)
        body: Block = field(scope=Runs.DEFERRED)

    class Loop(Node, language=Language("cinn_core")):
        __slots__ = ()
        visit_name = "loop"

    class LoopPart(Node, language=Loop.language_, held_as=Role.PART):
        __slots__ = ()
        visit_name = "loop_part"

    @node("_var_", atom=Atom.VARIABLE)
    class LoopVar(Loop):
        name: str = field(hint=True)

    @node("_tensor_", atom=Atom.VARIABLE)
    class Tensor(Loop):
        name: str = field(hint=True)

    @node("load", effect=Effect.READS)
    class Load(Loop):
        tensor: Tensor = field(access=Access.READ | Access.PARTLY)
        indices: tuple[Loop, ...]

    @node("store", effect=Effect.WRITES)
    class Store(Loop):
        tensor: Tensor = field(access=Access.WRITE | Access.PARTLY)
        value: Loop
        indices: tuple[Loop, ...]

    @node("stmts", effect=Effect.NONE)
    class Stmts(Loop):
        stmts: tuple[Loop, ...] = field(scope=Runs.ONCE, block=True)

    @node("for", effect=Effect.NONE)
    class For(Loop):
        loop_var: LoopVar = field(binder=True)
        min: Loop
        extent: Loop
        body: Loop = field(scope=Runs.REPEATEDLY)

    @node("_buffer_range_", effect=Effect.NONE)
    class BufferRange(Loop):
        buffer: Tensor = field(annotation=True)
        ranges: tuple[Loop, ...]

    @node("schedule_block")
    class ScheduleBlock(LoopPart):
        iter_vars: tuple[LoopVar, ...] = field(binder=True)
        read_buffers: tuple[BufferRange, ...] = field(recursive=True)
        write_buffers: tuple[BufferRange, ...] = field(recursive=True)
        name: str
        body: Loop = field(scope=Runs.ONCE)

    @node("schedule_block_realize", effect=Effect.NONE)
    class ScheduleBlockRealize(Loop):
        iter_values: tuple[Loop, ...]
        schedule_block: ScheduleBlock
