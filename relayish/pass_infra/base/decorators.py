"""Making passes of plain functions and plain classes."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias, Unpack, cast

from relayish.errors import DeclarationError
from relayish.pass_infra.base.context import PassContext
from relayish.pass_infra.base.info import Facts, PassInfo
from relayish.pass_infra.base.pass_class import RUN_HOOKS, ModulePass, Pass
from relayish.registry.named import summary_of

TransformModule: TypeAlias = Callable[[Any, PassContext], Any]
"""``transform(mod, ctx)``: what becomes of a module.  Any: of the class that the pass is for"""


class MadeOfFunction(Pass):
    """A pass made of a function, in whose place it may stand where the function is defined."""

    pass_func: Callable[..., Any]  # Any: of the pass

    def __reduce__(self) -> tuple[Any, ...]:  # Any: what pickle takes
        """Name a function by the pass that a decorator has put in its place, if it has."""
        state = dict(vars(self))
        func = state.pop("pass_func")
        place = getattr(func, "__module__", None), getattr(func, "__qualname__", "")
        if getattr(_find(*place), "pass_func", None) is not func:
            place, state = (None, ""), dict(vars(self))
        return _make_again, (type(self), *place, state)


def _find(module: str | None, name: str) -> object:
    """Return what a module that is loaded has by a dotted name; ``None`` if nothing."""
    found: object = sys.modules.get(module or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _make_again(kind: type[Pass], module: str | None, name: str, state: dict[str, object]) -> Pass:
    made = object.__new__(kind)
    vars(made).update(state)
    if module is not None:
        importlib.import_module(module)
        vars(made)["pass_func"] = vars(_find(module, name))["pass_func"]
    return made


def _make_of_class(kind: type[Pass], given: dict[str, object], info: PassInfo) -> Pass:
    bound = inspect.BoundArguments(inspect.signature(kind), given)
    return kind(*bound.args, **bound.kwargs).with_info(info)


class _ModulePassOf(ModulePass, MadeOfFunction):
    def __init__(self, pass_func: TransformModule, info: PassInfo) -> None:
        self.pass_func = pass_func
        self.info = info

    def transform_module(self, mod: object, ctx: PassContext) -> object:
        return self.pass_func(mod, ctx)


def create_module_pass(
    pass_func: TransformModule,
    opt_level: int,
    name: str | None = None,
    required: Sequence[str] = (),
    **facts: Unpack[Facts],
) -> ModulePass:
    """Return the module pass that applies ``pass_func(mod, ctx)``.

    Everything after ``pass_func`` is as in :class:`PassInfo`; the name is that of ``pass_func`` if
    not given.

    Raises:
        DeclarationError: If ``pass_func`` cannot be called, or name, level or requirements are
            not what :class:`PassInfo` takes.
    """
    return _ModulePassOf(pass_func, info_of(pass_func, opt_level, name, required, facts))


def module_pass(
    pass_func: Callable[..., Any] | None = None,  # Any: a function, or a class of any constructor
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
    **facts: Unpack[Facts],
) -> Any:  # Any: decorates a function into a pass, a class into a pass class
    """Make a function ``(mod, ctx)``, or a class with ``transform_module``, a pass.

    Of a class it makes a pass class: its instances hold one of the original, to which attributes
    fall back. The other arguments are as in :class:`PassInfo`.

    Raises:
        DeclarationError: If ``opt_level`` is missing, or the class has no ``transform_module``.
    """
    return decorate(_MODULE, pass_func, opt_level, name, required, facts)


class Maker(NamedTuple):
    """What function passes and module passes do differently when they are made.

    Attributes:
        decorator: The name of the decorator, for errors.
        method: The name of the method that does the work.
        base: The class to be derived from.  Any: a class of passes
        of: Makes a pass of a function.  Any: such a class, called with the function and its info
        attributes: What pass classes are given beside their info.
        kept: The attributes that a pass class has from the class it is made of.
    """

    decorator: str
    method: str
    base: Any
    of: Any
    attributes: Mapping[str, object] = MappingProxyType({})
    kept: tuple[str, ...] = ()


_MODULE: Final = Maker("module_pass", "transform_module", ModulePass, _ModulePassOf)


def decorate(
    maker: Maker,
    pass_func: Callable[..., Any] | None,  # Any: see module_pass
    opt_level: int | None,
    name: str | None,
    required: Sequence[str] | None,
    facts: Facts,
) -> Any:  # Any: see module_pass
    """Return what a decorator of passes returns for its arguments, or makes of ``pass_func``.

    Raises:
        DeclarationError: If the level is missing, or what is decorated is not what it should be.
    """
    if opt_level is None:
        raise DeclarationError(
            f"@{maker.decorator} needs the level of the pass; "
            f"write @{maker.decorator}(opt_level=...)"
        )
    level = opt_level

    def declare(decorated: Callable[..., Any]) -> object:  # Any: see module_pass
        info = info_of(decorated, level, name, required, facts)
        if inspect.isclass(decorated):
            return _pass_class(maker, decorated, info)
        return maker.of(decorated, info)

    return declare if pass_func is None else declare(pass_func)


def info_of(
    pass_func: Callable[..., object],
    opt_level: int,
    name: str | None,
    required: Sequence[str] | None,
    facts: Facts,
) -> PassInfo:
    """Return the info of a pass that is made of ``pass_func``.

    Raises:
        DeclarationError: If it cannot be called, or the facts are not what an info takes.
    """
    if not callable(pass_func):
        raise DeclarationError(f"a pass is made of something to call; found {pass_func!r}")
    given = name or str(getattr(pass_func, "__name__", type(pass_func).__name__))
    return PassInfo(given, opt_level, required or (), summary_of(pass_func), **facts)


def _forward_hook(name: str) -> Callable[..., None]:
    """Return the hook of a run that calls the one of the decorated class."""

    def hook(self: Any, driver: object) -> None:  # Any: a pass that holds an instance of that class
        getattr(self._instance, name)(driver)

    return hook


def _pass_class(
    maker: Maker,
    cls: Any,  # Any: a class of any kind
    info: PassInfo,
) -> type[Pass]:
    if issubclass(cls, maker.base):
        for name, value in {**maker.attributes, "info": info}.items():
            setattr(cls, name, value)
        return cast(type[Pass], cls)
    if not callable(getattr(cls, maker.method, None)):
        raise DeclarationError(
            f"@{maker.decorator} on class {cls.__name__} needs a method {maker.method}"
        )

    # Any in all of these: whatever the decorated class takes and has
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        self._instance = cls(*args, **kwargs)
        self._given = inspect.signature(cls).bind(*args, **kwargs).arguments

    def __getattr__(self: Any, name: str) -> Any:  # noqa: N807
        if name in {"_instance", "_given"}:  # not there yet: copying asks before filling
            raise AttributeError(name)
        return getattr(self._instance, name)

    def forward(self: Any, *args: Any) -> Any:
        return getattr(self._instance, maker.method)(*args)

    def __reduce__(self: Any) -> Any:  # noqa: N807
        return _make_of_class, (type(self), dict(self._given), self.info)

    def __copy__(self: Any) -> Any:  # noqa: N807
        copied = object.__new__(type(self))
        vars(copied).update(vars(self))
        return copied

    def _shown_options(self: Any) -> str:
        return "".join([f", {name}={value!r}" for name, value in self._given.items()])

    body = {
        "__init__": __init__,
        "__reduce__": __reduce__,
        "__copy__": __copy__,
        "_shown_options": _shown_options,
        "__getattr__": __getattr__,
        maker.method: forward,
        **{name: getattr(cls, name) for name in maker.kept if hasattr(cls, name)},
        **{name: _forward_hook(name) for name in RUN_HOOKS if hasattr(cls, name)},
        **maker.attributes,
        "info": info,
        "__doc__": cls.__doc__,
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__signature__": inspect.signature(cls),
        "__wrapped__": cls,
    }
    return cast(type[Pass], type(cls.__name__, (maker.base,), body))
