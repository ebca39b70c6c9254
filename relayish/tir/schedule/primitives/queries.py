"""Queries: which blocks and loops a schedule has."""

from __future__ import annotations

from relayish.errors import ScheduleError, UnknownNameError, suggest
from relayish.ir.kinds.one_line import one_line
from relayish.tir.ir.stmt import For, ScheduleBlockRealize
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps


class QuerySteps(Steps):
    """Methods that ask for handles; they are recorded as well."""

    def get_all_blocks(self) -> list[BlockRV]:
        """Return all blocks but those that stand for the whole, in order of the program."""
        found: list[BlockRV] = self.apply("get_all_blocks")
        return found

    def get_block(self, name: str) -> BlockRV:
        """Return the block called ``name``.

        Raises:
            UnknownNameError: If there is none.
            ScheduleError: If there are several.
        """
        found: BlockRV = self.apply("get_block", name)
        return found

    def get_loops(self, block: BlockRV | str | None = None) -> list[LoopRV]:
        """Return the loops around a block, the outermost first.

        Args:
            block: The block, or its name; ``None``: all loops, in order of the program.
        """
        found: list[LoopRV] = self.apply("get_loops", block)
        return found

    def get_child_blocks(self, parent: BlockRV | LoopRV) -> list[BlockRV]:
        """Return the blocks in a block or in a loop, but for those in other blocks inside."""
        found: list[BlockRV] = self.apply("get_child_blocks", parent)
        return found

    def get_root_block(self, inside: BlockRV | LoopRV) -> BlockRV:
        """Return the outermost block around a loop or a block; itself where there is none.

        Raises:
            ScheduleError: If no block is around a loop.
        """
        found: BlockRV = self.apply("get_root_block", inside)
        return found


@primitive("get_all_blocks")
def get_all_blocks(state: State) -> list[Ref]:
    """Return the blocks but for roots: outermost ones without variables that hold others."""
    return [each for each in state.blocks() if not _is_root(each)]


@primitive("get_block")
def get_block(state: State, name: str) -> Ref:
    """Return the block called ``name``."""
    named = state.named(name)
    if not named:
        known = [block_name(each) for each in state.blocks()]
        raise UnknownNameError(
            f"no block of {state.func.name} is called {name!r}{suggest(name, known)}"
        )
    if len(named) > 1:
        raise ScheduleError(
            f"{len(named)} blocks of {state.func.name} are called {name!r}; take the one that is "
            f"meant from get_all_blocks() or get_child_blocks(loop)"
        )
    return named[0]


@primitive("get_loops")
def get_loops(state: State, block: Ref | str | None = None) -> list[Ref]:
    """Return the loops around a block, or all."""
    if block is None:
        return [each for each in state.refs(state.func.body) if isinstance(each.stmt, For)]
    return (get_block(state, block) if isinstance(block, str) else block).loops()


@primitive("get_child_blocks")
def get_child_blocks(state: State, parent: Ref) -> list[Ref]:
    """Return the blocks of which none is between them and ``parent``."""

    def nearest(ref: Ref) -> Ref | None:
        above = ref.ancestors()
        return next((a for a in above if a is parent or isinstance(a.stmt, _BLOCK)), None)

    return [each for each in state.blocks(parent.stmt) if nearest(each) is parent]


@primitive("get_root_block")
def get_root_block(state: State, inside: Ref) -> Ref:  # noqa: ARG001 - as all primitives
    """Return the outermost block around something."""
    found = [each for each in (inside, *inside.ancestors()) if isinstance(each.stmt, _BLOCK)]
    if not found:
        raise ScheduleError(f"no block is around {one_line(inside.stmt)}, so it has no root")
    return found[-1]


def block_name(ref: Ref) -> str:
    """Return the name of the block at a place."""
    stmt = ref.stmt
    assert isinstance(stmt, ScheduleBlockRealize)
    return stmt.schedule_block.name


def _is_root(ref: Ref) -> bool:
    """Return whether a block is there to hold all others."""
    stmt = ref.stmt
    assert isinstance(stmt, ScheduleBlockRealize)
    is_outermost = not any(isinstance(each.stmt, (For, _BLOCK)) for each in ref.ancestors())
    return is_outermost and not stmt.iter_values and stmt.schedule_block.name == "root"


_BLOCK = ScheduleBlockRealize
