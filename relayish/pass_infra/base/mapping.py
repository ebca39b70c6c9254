"""Running a pass over many modules by workers: modules travel in binary form, large arrays once."""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from relayish._support import hooks
from relayish.binary.detached import attach, detach
from relayish.errors import ParallelError, PassError, add_note
from relayish.ir.modules.module import AnyModule, Module
from relayish.parallel.engines import Workers, stays_here
from relayish.parallel.map_over import map_over
from relayish.parallel.outcome import Outcome
from relayish.parallel.sharing import Packed, Share
from relayish.pass_infra.base.context import PassContext
from relayish.pass_infra.base.program_file import read_program

_M = TypeVar("_M", bound=AnyModule)

SHARED_FROM: Final = 1 << 14
"""The bytes from which on an array travels by itself, and once."""

Array: TypeAlias = np.ndarray[Any, Any]  # Any: of whatever shape and type
Transform: TypeAlias = Callable[[Any], Any]  # Any: modules; a pass, which stands above this file
Read: TypeAlias = Callable[[str], AnyModule]


def map_modules(
    transform: Transform,
    modules: Iterable[_M | str | os.PathLike[str]],
    executor: Workers,
    *,
    ordered: bool,
    retries: int,
    window: int | None,
    progress: Callable[[Outcome[Any, Any]], None] | None,
    folder: str | None,
    read: Read | None,
    load: Sequence[str],
) -> Iterator[Outcome[_M | str | os.PathLike[str], _M]]:
    """See :meth:`relayish.pass_infra.base.pass_class.Pass.map`."""
    if isinstance(modules, (Module, str, os.PathLike)):
        raise PassError(f"expected modules, or paths, one after the other; found {modules!r}")
    if isinstance(load, str):
        raise PassError(f"load takes files and packages, several; found {load!r}; write [{load!r}]")
    run = functools.partial(
        map_over,
        executor,
        ordered=ordered,
        retries=retries,
        window=window,
        progress=progress,
        folder=folder,
    )
    if stays_here(executor):
        return run(functools.partial(_transform_here, transform, read), modules)
    job = _pickle_job(_Job(transform, PassContext.current(), read), load)
    return run(_transform_there, modules, transport=_Modules(job))


class _Job(NamedTuple):
    """What is done to each module, as it is pickled, once."""

    transform: Transform
    ctx: PassContext
    read: Read | None


class _PickledJob(NamedTuple):
    """A job on its way.

    Attributes:
        job: The job; a worker reads it once.
        load: What is loaded before that.
    """

    job: bytes
    load: tuple[str, ...]


def _pickle_job(job: _Job, load: Sequence[str]) -> _PickledJob:
    try:
        return _PickledJob(pickle.dumps(job), tuple(load))
    except Exception as error:
        at_fault = next((part for part in job if not _can_travel(part)), job)
        raise ParallelError(
            f"{at_fault!r} cannot be sent to other processes: {error}; write what it is made "
            f"of at the top level of a module, and name that by load=[...] if it registers passes"
        ) from error


def _can_travel(part: object) -> bool:
    try:
        pickle.dumps(part)
    except Exception:  # noqa: BLE001 - whatever its class raises
        return False
    return True


@functools.lru_cache(maxsize=8)
def _open_job(pickled: _PickledJob) -> _Job:
    """Return a job, in a worker, which keeps what it has read."""
    hooks.load_passes()
    for name in pickled.load:
        hooks.load_of_user(name)
    job: _Job = pickle.loads(pickled.job)  # noqa: S301 - of who gives this worker its work
    return job


class _Parcel(NamedTuple):
    """A module without what it shares, or where to read one.

    Attributes:
        job: What is done to it.
        program: The module as ``detach`` gives it, or its path.
        arrays: Its arrays: bytes, or the places of those that are shared among the parts.
    """

    job: _PickledJob
    program: bytes | str
    arrays: tuple[bytes | int, ...] = ()


class _Sent(NamedTuple):
    """A module that comes back: its arrays are bytes, or the places of those that it came with."""

    program: bytes
    arrays: tuple[bytes | int, ...]


class _Modules:
    """The transport of modules."""

    def __init__(self, job: _PickledJob) -> None:
        self._job = job
        self._keys: dict[int, str] = {}

    def pack(self, item: object, share: Share) -> Packed:
        if isinstance(item, (str, os.PathLike)):
            return Packed(_Parcel(self._job, str(Path(item).absolute())), (), (item, ()))
        program, arrays = detach(_check_module(item))
        parts: list[object] = []
        sent: list[bytes | int] = []
        for array in arrays:
            if array.nbytes < SHARED_FROM:
                sent.append(array.tobytes())
                continue
            sent.append(len(parts))
            flat = _bytes_of(array)
            parts.append(share(self._key_of(array, flat), flat))
        return Packed(_Parcel(self._job, program, tuple(sent)), tuple(parts), (item, arrays))

    def _key_of(self, array: Array, flat: memoryview) -> str:
        """Return the digest of an array, which is taken once while it is there."""
        key = self._keys.get(id(array))
        if key is None:
            key = self._keys[id(array)] = hashlib.blake2b(flat, digest_size=20).hexdigest()
            weakref.finalize(array, self._keys.pop, id(array)).atexit = False
        return key

    def unpack(self, packed: Packed, value: _Sent | None) -> object:
        kept: Any = packed.kept  # Any: an item and its arrays, see above
        item, arrays = kept
        if value is None:
            return item
        return attach(
            value.program,
            [arrays[each] if isinstance(each, int) else each for each in value.arrays],
        )


def _transform_there(parcel: _Parcel, *parts: memoryview) -> _Sent | None:
    """Do the job to a module in a worker; ``None`` if it stays what it was."""
    job = _open_job(parcel.job)
    taken: list[Array] = []
    is_path = isinstance(parcel.program, str)
    if isinstance(parcel.program, str):
        mod = _read(job.read, parcel.program)
    else:
        given = [parts[each] if isinstance(each, int) else each for each in parcel.arrays]
        mod = attach(parcel.program, given, taken)
    with job.ctx:
        out = job.transform(mod)
    if out is mod and not is_path:
        return None
    program, arrays = detach(out)
    places = {id(array): place for place, array in enumerate(taken)}
    return _Sent(
        program,
        tuple([places[id(each)] if id(each) in places else each.tobytes() for each in arrays]),
    )


def _transform_here(transform: Transform, read: Read | None, item: object) -> object:
    """Do the job to a module in this process, in the context of the caller."""
    if isinstance(item, (str, os.PathLike)):
        return transform(_read(read, os.fspath(item)))
    return transform(_check_module(item))


def _check_module(item: object) -> AnyModule:
    if not isinstance(item, Module):
        raise PassError(f"expected a module, or the path of one; found {item!r}")
    return item


def _read(read: Read | None, path: str) -> AnyModule:
    try:
        return read_program(path)[0] if read is None else read(path)
    except Exception as error:
        add_note(error, f"while reading {path}; read=... says how files are read")
        raise


def _bytes_of(array: Array) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
