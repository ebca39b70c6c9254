"""Making passes of plain functions and plain classes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, cast

from relayish.errors import DeclarationError
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.transform.base import FunctionPass, ModulePass, Pass
from relayish.transform.context import PassContext
from relayish.transform.info import PassInfo

TransformFunction: TypeAlias = Callable[[Function, IRModule, PassContext], Function]
TransformModule: TypeAlias = Callable[[IRModule, PassContext], IRModule]


class _FunctionPassOf(FunctionPass):
    def __init__(self, pass_func: TransformFunction, info: PassInfo) -> None:
        self.pass_func = pass_func
        self.info = info

    def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:
        return self.pass_func(func, mod, ctx)


class _ModulePassOf(ModulePass):
    def __init__(self, pass_func: TransformModule, info: PassInfo) -> None:
        self.pass_func = pass_func
        self.info = info

    def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:
        return self.pass_func(mod, ctx)


def create_function_pass(
    pass_func: TransformFunction,
    opt_level: int,
    name: str | None = None,
    required: Sequence[str] = (),
    *,
    infer_types: bool = False,
    idempotent: bool = False,
    requires: Sequence[str] = (),
    ensures: Sequence[str] = (),
) -> FunctionPass:
    """Return the function pass that applies ``pass_func(func, mod, ctx)`` to each function.

    Everything after ``pass_func`` is as in :class:`PassInfo`; the name is that of ``pass_func`` if
    not given.

    Raises:
        DeclarationError: If ``pass_func`` cannot be called, or name, level or requirements are
            not what :class:`PassInfo` takes.
    """
    facts = _Facts(required, infer_types, idempotent, requires, ensures)
    return _FunctionPassOf(pass_func, _info_of(pass_func, opt_level, name, facts))


def create_module_pass(
    pass_func: TransformModule,
    opt_level: int,
    name: str | None = None,
    required: Sequence[str] = (),
    *,
    infer_types: bool = False,
    idempotent: bool = False,
    requires: Sequence[str] = (),
    ensures: Sequence[str] = (),
) -> ModulePass:
    """Return the module pass that applies ``pass_func(mod, ctx)``.

    Raises:
        DeclarationError: As :func:`create_function_pass`.
    """
    facts = _Facts(required, infer_types, idempotent, requires, ensures)
    return _ModulePassOf(pass_func, _info_of(pass_func, opt_level, name, facts))


def function_pass(
    pass_func: Callable[..., Any] | None = None,  # Any: a function, or a class of any constructor
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
    *,
    infer_types: bool = False,
    idempotent: bool = False,
    requires: Sequence[str] = (),
    ensures: Sequence[str] = (),
) -> Any:  # Any: decorates a function into a pass, a class into a pass class
    """Make a function ``(func, mod, ctx)``, or a class with ``transform_function``, a pass.

    Of a class it makes a pass class: its instances hold one of the original, to which attributes
    fall back. The other arguments are as in :class:`PassInfo`.

    Raises:
        DeclarationError: If ``opt_level`` is missing, or the class has no ``transform_function``.

    Example:
        >>> @function_pass(opt_level=1)
        ... def Nothing(func, mod, ctx):
        ...     return func
        >>> Nothing.info.name, Nothing.info.opt_level
        ('Nothing', 1)
    """
    facts = _Facts(required or (), infer_types, idempotent, requires, ensures)
    return _decorator(_FUNCTION, pass_func, opt_level, name, facts)


def module_pass(
    pass_func: Callable[..., Any] | None = None,  # Any: a function, or a class of any constructor
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
    *,
    infer_types: bool = False,
    idempotent: bool = False,
    requires: Sequence[str] = (),
    ensures: Sequence[str] = (),
) -> Any:  # Any: decorates a function into a pass, a class into a pass class
    """Make a function ``(mod, ctx)``, or a class with ``transform_module``, a pass.

    Of a class it makes a pass class, as :func:`function_pass` does.

    Raises:
        DeclarationError: If ``opt_level`` is missing, or the class has no ``transform_module``.
    """
    facts = _Facts(required or (), infer_types, idempotent, requires, ensures)
    return _decorator(_MODULE, pass_func, opt_level, name, facts)


class _Facts(NamedTuple):
    """What a :class:`PassInfo` says beside name, level and description."""

    required: Sequence[str]
    infer_types: bool
    idempotent: bool
    requires: Sequence[str]
    ensures: Sequence[str]


class _Kind:
    """What function passes and module passes do differently here."""

    def __init__(self, decorator: str, method: str, base: Any, of: Any) -> None:
        self.decorator = decorator
        self.method = method
        self.base = base  # Any: FunctionPass or ModulePass, to be derived from
        self.of = of  # Any: _FunctionPassOf or _ModulePassOf, called alike


_FUNCTION: Final = _Kind("function_pass", "transform_function", FunctionPass, _FunctionPassOf)
_MODULE: Final = _Kind("module_pass", "transform_module", ModulePass, _ModulePassOf)


def _decorator(
    kind: _Kind,
    pass_func: Callable[..., Any] | None,  # Any: see function_pass
    opt_level: int | None,
    name: str | None,
    facts: _Facts,
) -> Any:  # Any: see function_pass
    if opt_level is None:
        raise DeclarationError(
            f"@{kind.decorator} needs the level of the pass; write @{kind.decorator}(opt_level=...)"
        )
    level = opt_level

    def declare(decorated: Callable[..., Any]) -> object:  # Any: see function_pass
        info = _info_of(decorated, level, name, facts)
        if inspect.isclass(decorated):
            return _pass_class(kind, decorated, info)
        return kind.of(decorated, info)

    return declare if pass_func is None else declare(pass_func)


def _info_of(
    pass_func: Callable[..., object], opt_level: int, name: str | None, facts: _Facts
) -> PassInfo:
    if not callable(pass_func):
        raise DeclarationError(f"a pass is made of something to call; found {pass_func!r}")
    given = name or str(getattr(pass_func, "__name__", type(pass_func).__name__))
    return PassInfo(given, opt_level, description=summary_of(pass_func), **facts._asdict())


def summary_of(documented: object) -> str:
    """Return the first line of a docstring, or an empty string."""
    if not inspect.isroutine(documented) and not inspect.isclass(documented):
        return ""  # the docstring of some object is that of its class, not its own
    lines = inspect.cleandoc(documented.__doc__ or "").splitlines()
    return lines[0] if lines else ""


def _pass_class(
    kind: _Kind,
    cls: Any,  # Any: a class of any kind
    info: PassInfo,
) -> type[Pass]:
    if issubclass(cls, kind.base):
        cls.info = info
        return cast(type[Pass], cls)
    if not callable(getattr(cls, kind.method, None)):
        raise DeclarationError(
            f"@{kind.decorator} on class {cls.__name__} needs a method {kind.method}"
        )

    # Any in all of these: whatever the decorated class takes and has
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        self._instance = cls(*args, **kwargs)

    def __getattr__(self: Any, name: str) -> Any:  # noqa: N807
        if name == "_instance":  # not there yet: copying and unpickling ask before filling
            raise AttributeError(name)
        return getattr(self._instance, name)

    def forward(self: Any, *args: Any) -> Any:
        return getattr(self._instance, kind.method)(*args)

    body = {
        "__init__": __init__,
        "__getattr__": __getattr__,
        kind.method: forward,
        "info": info,
        "__doc__": cls.__doc__,
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__signature__": inspect.signature(cls),
        "__wrapped__": cls,
    }
    return cast(type[Pass], type(cls.__name__, (kind.base,), body))
