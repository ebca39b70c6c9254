"""Passes: from a module to a module."""

from __future__ import annotations

import copy
import gc
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn, Self, cast

from relayish.analysis.infer_type import infer_type
from relayish.errors import DeclarationError, PassError, TypeInferenceError
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.transform.config import DISABLE_GC, IMMUTABLE_MODULE
from relayish.transform.context import PassContext
from relayish.transform.immutable import Snapshot
from relayish.transform.info import PassInfo
from relayish.transform.instrument import PassInstrument


class _MissingInfo:
    """Stands where a pass class has not said what it is."""

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise DeclarationError(
            f"{owner.__name__} has no PassInfo; decorate it with @register_pass(opt_level=...) "
            f"or set info = PassInfo(name, opt_level) in the class"
        )


class Pass(ABC):
    """The root of passes. Calling one with a module runs it, under the current context.

    A pass called so runs whatever its level and whatever is disabled; only instruments can keep
    it from running. Levels and requirements are the business of :class:`Sequential`.
    """

    info: PassInfo = cast(PassInfo, _MissingInfo())

    def __call__(self, mod: IRModule) -> IRModule:
        """Return the module this pass makes of ``mod``.

        Returns:
            ``mod`` itself when nothing changed, or when an instrument said not to run.

        Raises:
            PassError: If ``mod`` is no module, or what the pass returns is none.
        """
        info, ctx = self.info, PassContext.current()
        if not isinstance(mod, IRModule):
            raise PassError(
                f"pass {info.name} takes an IRModule; found {type(mod).__name__}; "
                f"wrap an expression with IRModule.from_expr(expr)"
            )
        instruments = ctx.instruments
        if not ctx.is_required(info.name):
            answers = [_should_run(instrument, mod, info) for instrument in instruments]
            if not all(answers):
                return mod
        for instrument in instruments:
            instrument.run_before_pass(mod, info)
        work = self._run_watched if ctx.get_config(IMMUTABLE_MODULE) is True else self._run
        try:
            with _collector(off=ctx.get_config(DISABLE_GC) is True):
                out = work(mod, ctx)
        except BaseException as error:
            error.add_note(f"in pass {info.name}")
            for instrument in instruments:
                instrument.run_on_failure(mod, info, error)
            raise
        for instrument in instruments:
            instrument.run_after_pass(out, info)
        return out

    def _run(self, mod: IRModule, ctx: PassContext) -> IRModule:
        if not self.info.infer_types:
            return _checked_module(self.run(mod, ctx), self.info)
        typed = _typed(mod, "given")
        out = _checked_module(self.run(typed, ctx), self.info)
        return mod if out is typed else _typed(out, "returned")

    def _run_watched(self, mod: IRModule, ctx: PassContext) -> IRModule:
        snapshot = Snapshot(mod)
        try:
            out = self._run(mod, ctx)
        except BaseException as error:
            snapshot.note(error, self.info)
            raise
        snapshot.check(self.info)
        return out

    @abstractmethod
    def run(self, mod: IRModule, ctx: PassContext) -> IRModule:
        """Do the work of the pass; called by :meth:`__call__`, which sees to the rest."""

    def with_info(self, info: PassInfo) -> Self:
        """Return this pass under another name, level or requirements."""
        renamed = copy.copy(self)
        object.__setattr__(renamed, "info", info)  # pass classes may be frozen
        return renamed

    def __repr__(self) -> str:
        required = f", required={self.info.required!r}" if self.info.required else ""
        return (
            f"<{type(self).__name__} {self.info.name}, opt_level={self.info.opt_level}{required}>"
        )


class ModulePass(Pass):
    """A pass that sees the whole module."""

    @abstractmethod
    def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:
        """Return the new module; ``mod`` itself when nothing changed."""

    def run(self, mod: IRModule, ctx: PassContext) -> IRModule:
        return self.transform_module(mod, ctx)


class FunctionPass(Pass):
    """A pass over each function of a module by itself.

    Each function is given with the module as it was before the pass, so that no function sees
    what became of its siblings. Left alone are functions another compiler owns (attribute
    ``Compiler``), those that ask for it (``SkipOptimization``, ``Extern``), and definitions that
    are no :class:`Function`.
    """

    @abstractmethod
    def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:
        """Return what becomes of ``func``; ``func`` itself when nothing changed."""

    def run(self, mod: IRModule, ctx: PassContext) -> IRModule:
        changed: dict[GlobalVar | str, Expr] = {}
        for key, func in mod.functions.items():
            if not isinstance(func, Function) or is_skipped(func):
                continue
            try:
                out = _checked_function(self.transform_function(func, mod, ctx), self.info)
            except BaseException as error:
                error.add_note(f"in function @{key.name_hint}")
                raise
            if out is not func:
                changed[key] = out
        return mod.with_functions(changed)


_SKIP_IF_TRUE: Final = ("SkipOptimization", "Extern")


def is_skipped(func: Function) -> bool:
    """Return whether function passes leave ``func`` alone."""
    attrs = func.attrs
    if attrs is None:
        return False
    return "Compiler" in attrs or any(attrs.get(name, 0) for name in _SKIP_IF_TRUE)


def _typed(mod: IRModule, how: str) -> IRModule:
    try:
        return infer_type(mod)
    except TypeInferenceError as error:
        error.add_note(f"found while typing what the pass {'is ' if how == 'given' else ''}{how}")
        raise


def _should_run(instrument: PassInstrument, mod: IRModule, info: PassInfo) -> bool:
    answer: object = instrument.should_run(mod, info)
    if not isinstance(answer, bool):
        raise PassError(
            f"should_run of {type(instrument).__name__} must return True or False; "
            f"found {answer!r} for pass {info.name}"
        )
    return answer


def _checked_module(out: object, info: PassInfo) -> IRModule:
    if not isinstance(out, IRModule):
        raise PassError(f"pass {info.name} must return an IRModule; found {_brief(out)}")
    return out


def _checked_function(out: object, info: PassInfo) -> Function:
    if not isinstance(out, Function):
        raise PassError(f"pass {info.name} must return a Function; found {_brief(out)}")
    return out


def _brief(out: object) -> str:
    return "None; is a return missing?" if out is None else f"a {type(out).__name__}"


@contextmanager
def _collector(*, off: bool) -> Iterator[None]:
    """Keep the cyclic garbage collector off meanwhile; passes inside one another do it once."""
    if not off or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
