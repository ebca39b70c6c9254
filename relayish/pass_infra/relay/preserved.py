"""The instrument that checks what passes say they preserve: by finding it again, and comparing."""

from __future__ import annotations

from relayish.ir.module import AnyModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.instruments.running import RunningPasses


class PreservedAnalysesInstrument(PassInstrument):
    """Refuse passes that do not preserve the analyses they say they preserve.

    What a pass names in ``preserves`` is found of the module it is given and of the one it returns,
    and of each function that it changed; the states have to be the same at each program point.

    Raises:
        PassError: After the pass; names it, the analysis, and the first point that differs.
        UnknownNameError: If the pass names an analysis that is not registered.

    Complexity:
        That of each analysis, up to four times for a pass; nothing for passes that preserve nothing
        or change nothing.

    Example:
        >>> from relayish.ir.relay.expr import Function, Var
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.pass_infra import PassContext, create_module_pass
        >>> x, y = Var("x"), Var("y")
        >>> other = IRModule({"main": Function((x, y), y)})
        >>> lie = create_module_pass(lambda m, c: other, 0, "Lie", preserves=("Liveness",))
        >>> with PassContext(instruments=[PreservedAnalysesInstrument()]):
        ...     lie(IRModule({"main": Function((x, y), x)}))
        Traceback (most recent call last):
        ...
        relayish.errors.PassError: pass Lie does not preserve Liveness: in @main it is {%y} after \
entry fn (%x, %y) {...} (point 0), and was {%x}
    """

    def __init__(self) -> None:
        self._running = RunningPasses()

    def enter_pass_ctx(self) -> None:
        self._running.forget()

    def run_before_pass(self, mod: AnyModule, info: PassInfo) -> None:
        self._running.begin(mod, info)

    def run_after_pass(self, mod: AnyModule, info: PassInfo) -> None:
        running = self._running.end(info, mod)
        if running is not None and info.preserves:
            # data-flow analyses, which few programs need
            from relayish.pass_infra.relay.preservation import check_preserved  # noqa: PLC0415

            check_preserved(running.mod, mod, info)

    def run_on_failure(self, mod: AnyModule, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        self._running.end(info)
