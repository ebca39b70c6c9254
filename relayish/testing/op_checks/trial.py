"""One call of an operator that is being tried: what the checks of it share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from relayish.interpreter.call import default_attrs
from relayish.interpreter.value import Evaluated, normalise
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Call, Op
from relayish.ir.relay.type import Type
from relayish.op.declaration import properties
from relayish.testing.op_checks.report import Fault, Skipped
from relayish.testing.op_checks.samples import Sample


class Trial:
    """A sample call, with what its operator declares.

    Attributes:
        sample: The call, and the values of its arguments.
        ty: The type of the call, by the rule.
        value: Its value, as far as evaluation gave one of that type.
        changed: The numbers of the arguments that the evaluation wrote to.
        in_c: Whether loops are compiled, too.
    """

    def __init__(self, sample: Sample, *, in_c: bool = False) -> None:
        ty = sample.call.checked_type
        assert ty is not None
        self.sample = sample
        self.ty: Type = ty
        self.value: Evaluated = None
        self.changed: list[int] = []
        self.in_c = in_c

    @property
    def call(self) -> Call:
        """The call, with types, on variables."""
        return self.sample.call

    @property
    def op(self) -> Op:
        """The operator."""
        op = self.sample.call.op
        assert isinstance(op, Op)
        return op

    @property
    def attrs(self) -> Attrs | None:
        """The attributes that evaluation is given: the defaults where the call has none."""
        return default_attrs(self.op) if self.call.attrs is None else self.call.attrs

    def declares(self, property_: Any) -> Any:  # Any: a table of properties, and what it holds
        """Return what the operator declares under a property.

        Raises:
            Skipped: If it declares nothing of it.
        """
        found = property_.get(self.op)
        if found is None or found is False:
            raise Skipped(f"no {property_.name} is declared")
        return found

    def needs_value(self) -> Evaluated:
        """Return the value of the call.

        Raises:
            Skipped: If there is none of the type that the rule tells.
        """
        if self.value is None:
            raise Skipped("there is no value of the type that the rule tells")
        return self.value

    def evaluate(
        self, values: Sequence[Evaluated] | None = None, attrs: Attrs | None = None
    ) -> Evaluated:
        """Return what the evaluation gives, in the form values have."""
        function = self.declares(properties.evaluate)
        with np.errstate(all="ignore"):
            given = function(
                self.attrs if attrs is None else attrs,
                *(self.sample.values if values is None else values),
            )
        return normalise(given)

    def fault(self, check: str, declared: str, found: str, advice: str) -> Fault:
        """Return a fault that this call shows."""
        return Fault(check, self.sample.shown, declared, found, advice)


def is_close(found: Any, wanted: Any) -> bool:  # Any: values
    """Return whether two values are the same, or floats close where the wanted are finite."""
    if isinstance(wanted, tuple):
        return len(found) == len(wanted) and all(map(is_close, found, wanted))
    one, other = np.asarray(found), np.asarray(wanted)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if other.dtype.kind not in "fV":
        return bool((one == other).all())
    tolerance = _TOLERANCE[other.dtype.itemsize]
    one, other = one.astype(np.float64), other.astype(np.float64)
    finite = np.isfinite(other)
    one, other = one[finite], other[finite]
    largest = np.abs(other).max(initial=1)
    return bool(np.allclose(one, other, rtol=tolerance, atol=tolerance * largest))


_TOLERANCE: Final = {1: 0.3, 2: 2e-2, 4: 1e-3, 8: 1e-3}
"""By bytes of a float, how far values may be apart, of the larger of them and one."""
