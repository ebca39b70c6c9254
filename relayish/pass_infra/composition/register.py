"""Registration: what makes a pass of a function, of a class, of a factory."""

from __future__ import annotations

import copyreg
import dataclasses
import functools
import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, Unpack, cast, dataclass_transform

from relayish.errors import DeclarationError, PassError
from relayish.ir.nodes.node import Node
from relayish.pass_infra.base.info import Facts, PassInfo, short_name
from relayish.pass_infra.base.pass_class import AnyFunctionPass, Pass, check_kind
from relayish.pass_infra.base.transformation import class_of, subject_of
from relayish.pass_infra.composition.registry import REGISTRY, PassEntry, PassRegistry
from relayish.registry.named import summary_of
from relayish.registry.option import (
    PassOption,
    check_given,
    check_option,
    field_options,
    parameter_options,
)
from relayish.registry.syntax import is_name

_Made = TypeVar("_Made", bound=Callable[..., Any])  # Any: a function, a pass class, or a pass


@dataclass_transform(frozen_default=True, eq_default=False)
def register_pass(
    name: str | Pass | None = None,
    *,
    opt_level: int | None = None,
    required: Sequence[str] = (),
    description: str | None = None,
    takes: type[Node] | None = None,
    replace: bool = False,
    registry: PassRegistry = REGISTRY,
    **facts: Unpack[Facts],
) -> Callable[[_Made], _Made]:
    """Make a function a pass; or register a pass class, a function that returns a pass, or a pass.

    A **function** whose first parameter is annotated as a module becomes a pass over modules, one
    whose first parameter is an expression or a function becomes a pass over each function. Its
    keyword-only parameters are the options of the pass; ``mod`` and ``ctx`` are given the module
    and the context, if it has parameters of these names. What it returns is checked. The function
    stays what it is; the pass is had by its name, from ``relayish.transform``, say.

    Of a **class** without a constructor of its own the annotated fields become the parameters of
    one, and instances are frozen. Parameters of another constructor, or of a **factory**, which
    returns a pass, are the options. What a factory returns is given the registered name, level
    and requirements.

    Args:
        name: Short name, CamelCase by habit; that of the class or pass if not given. A pass that
            has been made may stand here as well: ``register_pass(made)``, which returns it.
        opt_level: May be left out where the class or pass has a :class:`PassInfo` already.
        required: As in :class:`PassInfo`.
        description: One line; the first of the docstring if not given.
        takes: The kind of functions that a pass over functions takes, where the class or pass does
            not say it.
        replace: Take the name from whoever has it.
        registry: For tests and tools that keep a table of their own.
        facts: As in :class:`PassInfo`; what is left out is as the class or pass has it already.

    Raises:
        DuplicateNameError: If somebody else claims the name; names both claimants.
        DeclarationError: If this is no pass, has no level or no name, an option without annotation,
            or parameters that can be given by position besides the first, ``mod`` and ``ctx``.

    Example:
        >>> from relayish.ir.relay.expr import Expr, Function
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.pass_infra.relay.function_pass import FunctionPass
        >>> names = PassRegistry()
        >>> @register_pass("Nothing", opt_level=1, registry=names)
        ... def do_nothing(expr: Expr, *, mod: IRModule, twice: bool = False) -> Expr:
        ...     "Leave every function as it is."
        ...     return expr
        >>> names.get("Nothing").build({"twice": True})
        Nothing(twice=True)
        >>> @register_pass(opt_level=1, registry=names)
        ... class NothingAgain(FunctionPass):
        ...     "Leave every function as it is."
        ...     twice: bool = False
        ...     def transform_function(self, func, mod, ctx):
        ...         return func
        >>> NothingAgain(twice=True)
        NothingAgain(twice=True)
    """
    if isinstance(name, Pass):
        made_pass = register_pass(
            opt_level=opt_level, required=required, description=description, takes=takes,
            replace=replace, registry=registry, **facts,
        )(name)  # fmt: skip
        return cast("Callable[[_Made], _Made]", made_pass)  # a pass, in place of a decorator
    given: object = name  # still to be checked
    if given is not None and not (isinstance(given, str) and is_name(short_name(given))):
        raise DeclarationError(_describe_misuse(given))

    def declare(made: _Made) -> _Made:
        held = _make_info(made, opt_level, name, required, description)
        info = dataclasses.replace(held, **facts)
        registered, options, factory = _complete(made, info, takes)
        entry = PassEntry(info, options, factory, _claimant(made))
        registry.add(entry, replace=replace, by=getattr(made, "pass_func", made))
        return cast(_Made, registered)

    return declare


def _describe_misuse(found: object) -> str:
    """Return what is wrong with the name of a pass."""
    if isinstance(found, str):
        return (
            f"a pass needs a name that can stand in a pipeline, of letters, digits and _, or dots; "
            f"found {found!r}"
        )
    if callable(found):
        shown = _claimant(found)
        return (
            f"@register_pass stands bare before {shown}; write @register_pass(opt_level=...) "
            f"above a class, @register_pass('TheName', opt_level=...) above a function"
        )
    return f"the first argument of register_pass is the name of the pass; found {found!r}"


def _restrict_kind(made: _Made, takes: type[Node] | None) -> _Made:
    """Return a function pass, or a class of these, over functions of class ``takes``."""
    if takes is None:
        return made
    kind = check_kind(takes, _claimant(made))
    if inspect.isclass(made) and issubclass(made, AnyFunctionPass):
        made.takes = kind
        return made
    if isinstance(made, AnyFunctionPass):
        over = made.with_info(made.info)
        over.takes = kind
        return cast(_Made, over)
    raise DeclarationError(
        f"{_claimant(made)} is no function pass; only these take functions of one kind"
    )


def _claimant(made: Any) -> str:  # Any: see register_pass
    if isinstance(made, Pass):
        made = getattr(made, "pass_func", type(made))
    return f"{made.__module__}.{made.__qualname__}"


_KINDS: Final = (
    "a function of a module or an expression, a pass class, a function that returns a pass, or a "
    "pass"
)


def _make_info(
    made: Any,  # Any: see register_pass
    opt_level: int | None,
    name: str | None,
    required: Sequence[str],
    description: str | None,
) -> PassInfo:
    if not isinstance(made, Pass) and not (callable(made) and hasattr(made, "__qualname__")):
        raise DeclarationError(f"@register_pass takes {_KINDS}; found {made!r}")
    if inspect.isclass(made) and not issubclass(made, Pass):
        raise DeclarationError(
            f"{_claimant(made)} is no pass class; derive it from FunctionPass or ModulePass, or "
            f"put @function_pass or @module_pass below @register_pass"
        )
    held = made.info if isinstance(made, Pass) else inspect.getattr_static(made, "info", None)
    if opt_level is None and not isinstance(held, PassInfo):
        raise DeclarationError(
            f"@register_pass needs the level of {_claimant(made)}; write "
            f"@register_pass(opt_level=...)"
        )
    if not isinstance(held, PassInfo):
        if name is None and not inspect.isclass(made) and subject_of(made) is not None:
            raise DeclarationError(
                f"@register_pass needs the name of the pass that {_claimant(made)} is made; write "
                f"@register_pass('TheName', opt_level=...)"
            )
        held = PassInfo(made.__name__, 0, (), "")
    return dataclasses.replace(
        held,
        name=short_name(name or (made.__name__ if inspect.isclass(made) else held.name)),
        opt_level=held.opt_level if opt_level is None else opt_level,
        required=required or held.required,
        description=description or summary_of(made) or held.description,
    )


def _complete(
    made: Any,  # Any: see register_pass
    info: PassInfo,
    takes: type[Node] | None,
) -> tuple[object, tuple[PassOption, ...], Callable[..., Pass]]:
    """Return what stands in place of ``made``, its options, and what builds the pass."""
    subject = None if isinstance(made, Pass) or inspect.isclass(made) else subject_of(made)
    if subject is not None:
        own: Any = _restrict_kind(class_of(made, info.name, subject), takes)  # Any: as below
        _make_copyable(own, info.name, made.__module__)
        return made, _complete_class(own, info), own
    made = _restrict_kind(made, takes)
    if isinstance(made, Pass):
        settled = made.with_info(info)
        return settled, (), lambda: settled
    if inspect.isclass(made):
        cls: Any = made  # Any: a subclass of Pass, whatever its constructor takes
        return cls, _complete_class(cls, info), cls
    options = parameter_options(made, inspect.signature(made), _claimant(made))
    factory = _complete_factory(made, info, options)
    return factory, options, factory


def _make_copyable(own: Any, name: str, module: str) -> None:  # Any: a pass class
    """Let passes of class ``own`` be copied and pickled: as name, options, info and module.

    No module holds the class, so it cannot be pickled itself.
    """

    def reduce(made: Any) -> tuple[object, ...]:  # Any: a pass
        if type(made) is not own:  # a class below it, which some module holds
            return copyreg.__newobj__, (type(made),), dict(vars(made))  # type: ignore[attr-defined]
        found = REGISTRY.find(name)
        if found is None or found.factory is not own:
            raise PassError(f"cannot pickle {made!r}: pass {name} was registered anew since")
        options = {option.name: getattr(made, option.name) for option in found.options}
        return _build_again, (name, options, made.info, module)

    own.__reduce__, own.__copy__, own.__deepcopy__ = reduce, _copy, _copy


def _copy(made: Any, _memo: object = None) -> Any:  # Any: a pass
    """Return a copy of a pass, whatever its name means by now; its options are not changed."""
    copied = object.__new__(type(made))
    vars(copied).update(vars(made))
    return copied


def _build_again(name: str, options: dict[str, object], info: PassInfo, module: str) -> Pass:
    importlib.import_module(module)  # which registers it, where a process has begun anew
    made = REGISTRY.get(name).build(options)
    return made.with_info(info)


def _complete_class(cls: type[Pass], info: PassInfo) -> tuple[PassOption, ...]:
    """Give a pass class its ``info`` and, where it has no constructor, one; return its options."""
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        raise DeclarationError(f"pass class {_claimant(cls)} does not define {', '.join(missing)}")
    cls.info = info
    if "__dataclass_fields__" in vars(cls):
        return field_options(cls)
    constructor: object = getattr(cls, "__init__")  # noqa: B009 - read from a class, not called
    plain = constructor is object.__init__ or dataclasses.is_dataclass(cls)
    if "__init__" in vars(cls) or not plain:
        source = getattr(cls, "__wrapped__", cls)
        return parameter_options(source.__init__, inspect.signature(cls), _claimant(cls))
    documented = cls.__doc__
    checks: list[PassOption] = []
    setattr(cls, "__post_init__", _make_checking_init(checks, info.name, cls))  # noqa: B010 - completing the class
    dataclasses.dataclass(frozen=True, eq=False)(cls)
    cls.__doc__ = documented  # dataclass would put the signature in place of none
    options = field_options(cls)
    checks.extend(options)
    setattr(cls, "__init__", _guard_init(cls, options, info.name))  # noqa: B010 - as above
    return options


def _guard_init(cls: type[Pass], options: tuple[PassOption, ...], name: str) -> Callable[..., None]:
    """Return the constructor of ``cls``, which says of options what is wrong with them."""
    constructor: Callable[..., None] = getattr(cls, "__init__")  # noqa: B009 - as above

    @functools.wraps(constructor)
    def __init__(self: Any, *args: object, **named: object) -> None:  # noqa: N807 - Any: as above
        check_given(name, options, args, named)
        constructor(self, *args, **named)

    return __init__


def _make_checking_init(options: list[PassOption], name: str, cls: type) -> Callable[[Any], None]:
    inherited = getattr(cls, "__post_init__", None)

    def __post_init__(self: Any) -> None:  # noqa: N807 - Any: the class being completed
        for option in options:
            object.__setattr__(
                self, option.name, check_option(name, option, getattr(self, option.name))
            )
        if inherited is not None:
            inherited(self)

    return __post_init__


def _complete_factory(
    factory: Callable[..., Any], info: PassInfo, options: tuple[PassOption, ...]
) -> Callable[..., Pass]:  # Any: user
    signature = inspect.signature(factory)

    @functools.wraps(factory)
    def build(*args: Any, **kwargs: Any) -> Pass:  # Any: the parameters of the factory
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            check_given(info.name, options, args, kwargs)
            raise
        made = factory(*args, **kwargs)
        if not isinstance(made, Pass):
            raise PassError(
                f"the factory of pass {info.name}, {_claimant(factory)}, must return a pass; "
                f"found {made!r}"
            )
        own = made.info  # what the pass needs to work it keeps
        return made.with_info(
            dataclasses.replace(
                info,
                infer_types=info.infer_types or own.infer_types,
                requires=info.requires or own.requires,
                ensures=info.ensures or own.ensures,
                preserves=info.preserves or own.preserves,
            )
        )

    return build
