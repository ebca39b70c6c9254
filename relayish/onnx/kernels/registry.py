"""Kernels: functions that compute the value of an operator of ONNX by numpy, by name and version.

A kernel takes its inputs by position: arrays, ``None`` for an optional input that is absent, a list
for a sequence, a ``dict`` for a map. Strings are held in arrays of objects. Attributes are
keyword-only parameters, with the defaults of the schema. The result is a value, or a tuple of them
where the operator has several outputs. A kernel never writes into its inputs, but may return one.

Beside the attributes of its schema a kernel may name the keyword ``num_outputs``, which says how
many outputs are wanted, and ``generator``, a ``numpy.random.Generator`` to draw from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from numpy.typing import NDArray

from relayish._support.import_modules import WaitingModules
from relayish._support.own import is_own
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.ir.registration.claims import claim_of

Array: TypeAlias = NDArray[Any]  # Any: the element type is known when the value is
Kernel: TypeAlias = Callable[..., Any]  # Any: one value, or a tuple of them

KernelT = TypeVar("KernelT", bound=Kernel)


class _Served(NamedTuple):
    """What serves one version of an operator, and which of its parameters it lacks."""

    kernel: Kernel
    absent: frozenset[str]


_KERNELS: Final[ClaimedTable[tuple[str, str, int], _Served]] = ClaimedTable(
    lambda key: f"version {key[2]} of {key[1]}", "expected one kernel for each version"
)
_OWN: Final = WaitingModules(__name__.rpartition(".")[0])
"""The modules beside this one."""


def kernel(
    name: str,
    *,
    since: tuple[int, ...],
    domain: str = "",
    added: Mapping[str, int] | None = None,
    removed: Mapping[str, int] | None = None,
) -> Callable[[KernelT], KernelT]:
    """Register a function as the kernel of some versions of an operator.

    Args:
        name: The operator, as ``"Conv"``.
        since: The versions served, each by the version of the operator set that brought it.
        domain: The domain of the operator; ``""`` is that of ONNX itself.
        added: Attributes and inputs of some version on only, with that version.
        removed: Parameters that are none any more from some version on, with that version.

    Raises:
        DuplicateNameError: If somebody else's kernel serves one of these versions.
    """

    def register(function: KernelT) -> KernelT:
        if not is_own(claim_of().registering):
            _OWN.load()  # one of these may have claimed it
        for version in since:
            absent = [each for each, first in (added or {}).items() if version < first]
            absent += [each for each, end in (removed or {}).items() if version >= end]
            served = _Served(function, frozenset(absent))
            _KERNELS.register((domain, name, version), served, by=function)
        return function

    return register


def absent_parameters(domain: str, name: str, since_version: int) -> frozenset[str]:
    """Return the parameters of a kernel that one of the versions it serves does not have."""
    _OWN.load()
    found = _KERNELS.get((domain, name, since_version))
    return frozenset() if found is None else found.absent


def find_kernel(domain: str, name: str, since_version: int) -> Kernel | None:
    """Return the kernel of one version of an operator, ``None`` where there is none."""
    _OWN.load()
    found = _KERNELS.get((domain, name, since_version))
    return None if found is None else found.kernel


def kernels() -> Iterator[tuple[str, str, int]]:
    """Yield domain, name and version of whatever has a kernel, in the order of registration."""
    _OWN.load()
    yield from _KERNELS
