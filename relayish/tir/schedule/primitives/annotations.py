"""Primitives that say more of blocks and loops, for later transformations and compilers."""

from __future__ import annotations

from typing import Final

from relayish.errors import ScheduleError, UnknownNameError, suggest
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.kinds.one_line import show_found
from relayish.tir.ir.flags import LLVMForLoopMeta, UnrollMode
from relayish.tir.ir.stmt import For, ScheduleBlockRealize
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps


class AnnotationSteps(Steps):
    """Methods that say more of blocks and loops; what is computed stays."""

    def annotate(self, target: BlockRV | LoopRV, key: str, value: object) -> None:
        """Say something of a block, as one of its attributes, or of a loop, for LLVM.

        A loop is told nothing else, as in CINN, which annotates blocks alone: loops are split,
        fused and put in another order, and nobody knows of which of the new ones it would be said,
        while a block stays. Where TVM has a pragma on a loop, say it of a block inside.

        Args:
            target: A block, or a loop.
            key: The name of the attribute; of a loop ``"unroll_mode"`` or ``"vectorization"``.
            value: A number, text, a truth value, or lists of these; of a loop ``"full"``,
                ``"never"`` or ``"default"``, and whether it is vectorised. What was said before of
                that name is replaced.

        Raises:
            ScheduleError: If a loop is told what it cannot be.
            UnknownNameError: If a loop is told something else.

        Source:
            CINN ``IRSchedule::Annotate``, TVM ``annotate``.
        """
        self.apply("annotate", target, key, value)

    def unannotate(self, target: BlockRV | LoopRV, key: str) -> None:
        """Say no longer what :meth:`annotate` said.

        Raises:
            UnknownNameError: If nothing of that name is said.

        Source:
            CINN ``IRSchedule::Unannotate``, TVM ``unannotate``.
        """
        self.apply("unannotate", target, key)


@primitive("annotate")
def annotate(state: State, target: Ref, key: str, value: object) -> None:
    """Set an attribute of a block, or what LLVM is told of a loop."""
    stmt = target.stmt
    if isinstance(stmt, ScheduleBlockRealize):
        attrs = (stmt.schedule_block.attrs or DictAttrs()).with_values(**{key: value})
        _set_attrs(state, target, stmt, attrs)
        return
    assert isinstance(stmt, For)
    told, field = (stmt.metadata or LLVMForLoopMeta())._asdict(), _field(key)
    told[field] = _loop_value(field, value)
    _set_metadata(state, target, stmt, LLVMForLoopMeta(**told))


@primitive("unannotate")
def unannotate(state: State, target: Ref, key: str) -> None:
    """Take an attribute away."""
    stmt = target.stmt
    if isinstance(stmt, ScheduleBlockRealize):
        left = dict(stmt.schedule_block.attrs or DictAttrs())
        if key not in left:
            raise UnknownNameError(
                f"block {stmt.schedule_block.name} has no attribute {key!r}{suggest(key, left)}"
            )
        del left[key]
        _set_attrs(state, target, stmt, DictAttrs(left) if left else None)
        return
    assert isinstance(stmt, For)
    default = getattr(LLVMForLoopMeta(), _field(key))
    if stmt.metadata is None or getattr(stmt.metadata, key) == default:
        raise UnknownNameError(f"of loop {stmt.loop_var.name} no {key} is said")
    told = stmt.metadata._replace(**{key: default})
    _set_metadata(state, target, stmt, None if told == LLVMForLoopMeta() else told)


def _set_attrs(state: State, ref: Ref, stmt: ScheduleBlockRealize, attrs: DictAttrs | None) -> None:
    block = stmt.schedule_block.with_fields(attrs=attrs)
    state.replace(ref, stmt.with_fields(schedule_block=block))


def _set_metadata(state: State, ref: Ref, loop: For, told: LLVMForLoopMeta | None) -> None:
    state.replace(ref, loop.with_fields(metadata=told))


_MODES: Final = {mode.value: mode for mode in UnrollMode}


def _field(key: str) -> str:
    """Return the name of what LLVM can be told of a loop."""
    known = LLVMForLoopMeta._fields
    if key not in known:
        raise UnknownNameError(
            f"a loop cannot be told {key!r}{suggest(key, known)}; expected one of "
            f"{', '.join(known)}; whatever else is to be said is said of a block in it"
        )
    return key


def _loop_value(key: str, value: object) -> UnrollMode | bool:
    """Return what LLVM is told of a loop."""
    if key == "vectorization" and isinstance(value, bool):
        return value
    if key == "unroll_mode" and isinstance(value, str) and value in _MODES:
        return _MODES[value]
    expected = "true or false" if key == "vectorization" else f"one of {', '.join(_MODES)}"
    raise ScheduleError(f"the {key} of a loop is {show_found(value)}; expected {expected}")
