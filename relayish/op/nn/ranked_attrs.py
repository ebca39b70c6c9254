"""Attribute classes that differ in rank alone, as those of ``nn.conv1d`` and ``nn.conv2d``.

Their fields stand once, in a class of their own, and each rank tells what it has otherwise::

    class MaxPoolAttrs(RankedAttrs):
        strides: tuple[Dimension, ...] = per_axis(1)
        layout: String

    @attrs("relay.attrs.MaxPool2DAttrs")
    class MaxPool2DAttrs(MaxPoolAttrs, layout="NCHW"): ...
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, NamedTuple

from relayish.ir.attributes.attrs import Attrs


class _PerAxis(NamedTuple):
    """A default that has a number for each spatial axis."""

    value: int


def per_axis(value: int) -> Any:  # Any: stands for a tuple
    """Return the default of a field that has ``value`` for each spatial axis."""
    return _PerAxis(value)


class RankedAttrs(Attrs):
    """The fields that classes of several ranks share; these are the classes derived from it.

    A class that is derived from one with fields is given its rank by the layout of the data, and
    has all fields, in order. Fields are told by name: a default, where it is not that of the base.

    Args:
        plain: The fields whose strings Relay keeps as they are, unlike a
            :data:`~relayish.ir.attributes.conversion.String`.
        **defaults: By name: the defaults of fields, as those of layouts.
    """

    __slots__ = ()
    rank: ClassVar[int] = 0
    """How many axes of space there are."""
    has_windows: ClassVar[bool] = True
    """Whether windows slide over these axes."""
    spatial_rank: ClassVar[int] = 0
    """Over how many axes windows slide; one number for a field stands for one along each."""

    def __init_subclass__(cls, plain: tuple[str, ...] = (), **defaults: object) -> None:
        super().__init_subclass__()
        layout = defaults.get("data_layout", defaults.get("layout"))
        if not isinstance(layout, str):
            return  # what has the fields, or a class that has them made anew
        cls.rank = rank = len(layout) - 2
        cls.spatial_rank = rank if cls.has_windows else 0
        bases = [base for base in cls.__mro__[::-1] if issubclass(base, RankedAttrs)][1:-1]
        hints = {n: h for base in bases for n, h in inspect.get_annotations(base).items()}
        given = {**{n: v for base in bases for n, v in vars(base).items()}, **defaults}
        cls.__annotations__ = {n: "str" if n in plain else hint for n, hint in hints.items()}
        for name in hints.keys() & given.keys():
            value = given[name]
            setattr(cls, name, (value.value,) * rank if type(value) is _PerAxis else value)
