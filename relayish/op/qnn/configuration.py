"""Defaults of requantising: rounding, and the type to compute in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from relayish.errors import OperatorError, suggest

UNSAID: Final = "None"
"""What attributes hold that leave the choice to the configuration."""
ROUNDINGS: Final = ("UPWARD", "TONEAREST")
COMPUTE_DTYPES: Final = ("int64", "float32", "float64")


class RequantizeConfig(NamedTuple):
    """What counts for calls that say nothing else.

    Attributes:
        rounding: ``UPWARD``, where halves go up, or ``TONEAREST``, where they go away from zero.
        compute_dtype: ``int64``, ``float32`` or ``float64``.
    """

    rounding: str = "UPWARD"
    compute_dtype: str = "int64"

    def choose(self, rounding: str, compute_dtype: str) -> RequantizeConfig:
        """Return what counts for a call with these attributes."""
        return RequantizeConfig(
            self.rounding if rounding == UNSAID else rounding,
            self.compute_dtype if compute_dtype == UNSAID else compute_dtype,
        )


_CURRENT: Final[ContextVar[RequantizeConfig]] = ContextVar(
    "requantize_config",
    default=RequantizeConfig(),  # noqa: B039 - it is immutable
)


def current_requantize_config() -> RequantizeConfig:
    """Return the configuration that holds here."""
    return _CURRENT.get()


@contextmanager
def requantize_config(
    rounding: str = "UPWARD", compute_dtype: str = "int64"
) -> Iterator[RequantizeConfig]:
    """Say, for a ``with`` block, how integers are requantised where calls do not say it.

    It counts when calls are evaluated, and when ``QnnCanonicalizeOps`` writes them out.

    Args:
        rounding: ``UPWARD``, where halves go up, or ``TONEAREST``, where they go away from zero.
        compute_dtype: ``int64``, ``float32`` or ``float64``.

    Raises:
        OperatorError: If it is none of these.

    Source:
        Relay ``qnn.op.requantize_config``; there the default depends on the target.

    Example:
        >>> with requantize_config(rounding="TONEAREST"):
        ...     current_requantize_config().rounding
        'TONEAREST'
    """
    for what, value, known in (
        ("rounding", rounding, ROUNDINGS),
        ("compute_dtype", compute_dtype, COMPUTE_DTYPES),
    ):
        if value not in known:
            raise OperatorError(
                f"requantize_config has no {what} {value!r}{suggest(value, known)}; "
                f"expected one of {', '.join(known)}"
            )
    token = _CURRENT.set(RequantizeConfig(rounding, compute_dtype))
    try:
        yield _CURRENT.get()
    finally:
        _CURRENT.reset(token)
