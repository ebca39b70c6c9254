"""Access of contexts to their driver and configuration, and the three ways to trace.

Drivers and passes are loaded when something of theirs is asked for: contexts serve what stands
below passes, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TextIO

from relayish._support import hooks
from relayish.errors import OptionError

if TYPE_CHECKING:
    from relayish.domain.driver.context import DriverCtx

P = ParamSpec("P")


class Traced:
    """The base of contexts: a driver, a typed configuration, and what is traced of them.

    Nothing is written, and nothing called, unless a flag is among those of the mask
    ``trace_detail`` of the configuration; arguments are evaluated all the same, being arguments.
    Flags are masks of bits: ``1``, ``2``, ``4``, or an ``IntFlag``.

    Args:
        driver: The driver in whose run this is used; the current one, or the default one outside
            of all, if not given.
        config: The configuration of the pass; that of the pass which runs here if not given, the
            defaults outside of all.

    Source:
        AIR ``DECLARE_TRACE_DETAIL_API``, ``DECLARE_<PHASE>_CONFIG_ACCESS_API``.

    Example:
        >>> from relayish.pass_infra import CommonConfig
        >>> context = Traced(config=CommonConfig(trace_detail=0b101))
        >>> context.trace(1, "visited", 3, "nodes")
        visited 3 nodes
        >>> context.trace(2, "not among those of the mask")
        >>> context.trace_cmd(4, lambda stream, count: print("count", count, file=stream), 7)
        count 7
        >>> context.trace_obj(4, ("any", "object"))
        ('any', 'object')
    """

    trace_name: str = ""
    """The trace file that is written to; ``""`` is the standard one of the driver."""

    trace_mask: int
    """The flags that are on: ``trace_detail`` of the configuration."""
    _driver: DriverCtx | None
    _config: Any
    _running: Any

    # here, so that a context of a user's needs no call of super().__init__
    # Any in all of these: a CommonConfig, of the class that is made for a pass, or such a pass
    def __new__(
        cls, *_args: object, driver: DriverCtx | None = None, config: Any = None, **_options: object
    ) -> Self:
        self = super().__new__(cls)
        self._driver = hooks.current_driver() if driver is None else driver
        self._config = config
        self._running = running = hooks.running_pass() if config is None else None
        asked = config if running is None else running.info.common
        self.trace_mask = 0 if asked is None else _mask_of(asked)
        return self

    @property
    def driver(self) -> DriverCtx:
        """The driver that was the current one when this was made; the default one outside of all.

        Another may be set.
        """
        if self._driver is None:
            from relayish.domain.driver.context import DriverCtx  # noqa: PLC0415 - see above

            self._driver = DriverCtx.default()
        return self._driver

    @driver.setter
    def driver(self, driver: DriverCtx) -> None:
        self._driver = driver

    @property
    def config(self) -> Any:
        """The configuration of the pass, of the class that :func:`config_class` makes for it.

        It is a :class:`CommonConfig` at least. One that is set takes its place.
        """
        if self._config is None:
            from relayish.pass_infra.composition import pass_config  # noqa: PLC0415 - as above

            self._config = pass_config.config_of_running(self._running)
            self._running = None
        return self._config

    @config.setter
    def config(self, config: Any) -> None:
        self.trace_mask = _mask_of(config)
        self._config, self._running = config, None

    def is_trace(self, flag: int) -> bool:
        """Return whether any detail of ``flag`` is traced."""
        try:
            return self.trace_mask & flag != 0
        except TypeError as error:
            raise OptionError(
                f"a flag of a trace is a number, a bit of trace_detail; found {flag!r}"
            ) from error

    def trace(self, flag: int, *args: object) -> None:
        """Write ``args`` on a line, as ``print`` does, if ``flag`` is on."""
        if self.is_trace(flag):
            print(*args, file=self.driver.trace_stream(self.trace_name))

    def trace_cmd(
        self,
        flag: int,
        command: Callable[Concatenate[TextIO, P], object],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Call ``command(stream, *args)``, which writes to the stream, if ``flag`` is on."""
        if self.is_trace(flag):
            command(self.driver.trace_stream(self.trace_name), *args, **kwargs)

    def trace_obj(self, flag: int, obj: object) -> None:
        """Write the text of ``obj``, a program, say, on lines of its own, if ``flag`` is on."""
        if self.is_trace(flag):
            print(obj, file=self.driver.trace_stream(self.trace_name))


def _mask_of(config: Any) -> int:
    mask: object = getattr(config, "trace_detail", None)
    if not isinstance(mask, int):
        raise OptionError(
            f"the configuration of a context is a CommonConfig; found {config!r}; if it is none, "
            f"call it otherwise than config"
        )
    return mask
