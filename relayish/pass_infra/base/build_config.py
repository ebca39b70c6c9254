"""The pass context under the name that older scripts have for it."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.errors import OptionError
from relayish.pass_infra.base.context import PassContext


def build_config(
    opt_level: int = 2,
    required_pass: Iterable[str] | None = None,
    disabled_pass: Iterable[str] | None = None,
    trace: object = None,
) -> PassContext:
    """Return ``PassContext(opt_level=opt_level, ...)``.

    Raises:
        OptionError: If ``trace`` is given: instruments watch passes.

    Source:
        Relay ``build_config``, which is deprecated there as well.

    Example:
        >>> with build_config(opt_level=3):
        ...     PassContext.current().opt_level
        3
    """
    if trace is not None:
        raise OptionError(
            "build_config(trace=...) is not there; write PassContext(instruments=[...]) with an "
            "instrument that has run_before_pass(mod, info)"
        )
    return PassContext(
        opt_level=opt_level,
        required_pass=list(required_pass or ()),
        disabled_pass=list(disabled_pass or ()),
    )
