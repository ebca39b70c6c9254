"""The operators that draw random numbers; ``op.random.uniform(key, low, high)`` builds a call.

The state of the generator is an argument and comes back changed, so that in Relay's terms they are
pure; :data:`relayish.op.registry.random` tells them apart.
"""

from __future__ import annotations

from relayish.ir.attrs import Attrs, attrs
from relayish.op.builders import namespace
from relayish.op.fields import OptionalDType
from relayish.op.registry import register_op

__getattr__, __dir__ = namespace("random")


@attrs("relay.attrs.ThreefryGenerateAttrs")
class ThreefryGenerateAttrs(Attrs):
    """Attributes of ``random.threefry_generate``."""

    out_shape: tuple[int, ...]


@attrs("relay.attrs.UniformAttrs")
class UniformAttrs(Attrs):
    """Attributes of ``random.uniform``."""

    out_shape: tuple[int, ...]
    out_dtype: OptionalDType = None


@attrs("relay.attrs.NormalAttrs")
class NormalAttrs(Attrs):
    """Attributes of ``random.normal``."""

    out_shape: tuple[int, ...]
    out_dtype: OptionalDType = None


@attrs("relay.attrs.MultinomialAttrs")
class MultinomialAttrs(Attrs):
    """Attributes of ``random.multinomial``."""

    num_samples: int = 1


register_op(
    "random.threefry_generate", arguments_=("key",), attrs=ThreefryGenerateAttrs, draws=True
)
register_op("random.threefry_split", arguments_=("key",), draws=True)
register_op("random.uniform", arguments_=("key", "low", "high"), attrs=UniformAttrs, draws=True)
register_op("random.normal", arguments_=("key", "mean", "scale"), attrs=NormalAttrs, draws=True)
register_op("random.multinomial", arguments_=("key", "probs"), attrs=MultinomialAttrs, draws=True)
