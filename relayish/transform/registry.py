"""Passes by name.

A pass is registered under a global name (``relayish.pass_.FoldConstant``) and had by the short one
as well. A name is claimed once: a second claim is an error that names both claimants.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, cast, dataclass_transform

from relayish.errors import (
    DeclarationError,
    PassError,
    PipelineError,
    UnknownNameError,
    suggest,
)
from relayish.ir.claims import Claims
from relayish.ir.declarations import declared_temporarily, watch_table
from relayish.ir.node import Node
from relayish.transform.base import AnyFunctionPass, Pass, checked_kind
from relayish.transform.info import GLOBAL_PREFIX, PassInfo, short_name
from relayish.transform.make import summary_of
from relayish.transform.option import (
    MISSING,
    OptionValueError,
    PassOption,
    check_value,
    field_options,
    parameter_options,
    read_value,
)
from relayish.transform.source import PassSource
from relayish.transform.syntax import PassSpec, parse_specs, point_at

_Made = TypeVar("_Made", bound=Callable[..., Any])  # Any: a pass class, a factory, or a pass


@dataclasses.dataclass(frozen=True, slots=True)
class PassEntry:
    """What the registry knows of one pass."""

    info: PassInfo
    options: tuple[PassOption, ...]
    factory: Callable[..., Pass]
    claimant: str
    """Module and name of what was registered."""

    @property
    def name(self) -> str:
        """The short name."""
        return self.info.name

    @property
    def global_name(self) -> str:
        """The name with its prefix."""
        return GLOBAL_PREFIX + self.info.name

    def build(self, options: dict[str, object]) -> Pass:
        """Return a pass with these options.

        Raises:
            PipelineError: If there is no such option, a value is of the wrong type, or an option
                that must be given is not.
        """
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                raise PipelineError(self.unknown_option(name))
        for option in self.options:
            if option.default is MISSING and option.name not in options:
                raise PipelineError(f"pass {self.name} must be given the option {option}")
        checked = {n: _checked(self.name, known[n], value) for n, value in options.items()}
        return self.factory(**checked)

    def read_options(self, spec: PassSpec, text: str) -> dict[str, object]:
        """Return the options written in ``spec``, which stands in ``text``."""
        known = {option.name: option for option in self.options}
        values: dict[str, object] = {}
        for written in spec.options:
            if written.name not in known:
                raise _misplaced(self.unknown_option(written.name), text, written.position)
            try:
                values[written.name] = read_value(known[written.name].hint, written.value)
            except OptionValueError as error:
                message = f"option {written.name!r} of pass {self.name}: {error}"
                raise _misplaced(message, text, written.value.position) from None
        return values

    def unknown_option(self, name: str) -> str:
        """Return the message for an option that does not exist."""
        names = [option.name for option in self.options]
        has = f"it has {', '.join(names)}" if names else "it has none"
        return f"pass {self.name} has no option {name!r}{suggest(name, names)}; {has}"


class PassRegistry:
    """A table of passes, and the sources from which it is filled when needed."""

    def __init__(self) -> None:
        self._entries: dict[str, PassEntry] = {}
        self._claims: Claims[str] = Claims()
        self._sources: list[PassSource] = []
        self._loaded: list[PassSource] = []
        watch_table(self._entries, _stays)

    def add(self, entry: PassEntry, *, replace: bool = False, by: object = None) -> None:
        """Enter a pass.

        Args:
            entry: The pass.
            replace: Take the name from whoever has it.
            by: The class or function that is registered.

        Raises:
            DuplicateNameError: If somebody else claims the name and ``replace`` is false.
        """
        self._claims.enter(
            entry.name,
            by,
            f"the name {entry.global_name} of a pass",
            taken=entry.name in self._entries,
            instead="rename one, or replace the first with register_pass(..., replace=True)",
            replace=replace,
        )
        self._entries[entry.name] = entry

    def add_source(self, source: PassSource) -> None:
        """Add a source; sources are asked in the order in which they were added."""
        self._sources.append(source)

    def find(self, name: str) -> PassEntry | None:
        """Return the entry of a pass by its short or global name, ``None`` when there is none.

        Sources are imported one after the other until one has brought it. No lock is held
        meanwhile: importing twice does nothing, waiting for one another might never end.
        """
        short = short_name(name)
        if short in self._entries:
            return self._entries[short]
        for source in tuple(self._sources):
            if source in self._loaded:
                continue
            source.load_for(short)
            if short not in self._entries:
                self._load(source)
            if short in self._entries:
                return self._entries[short]
        return None

    def get(self, name: str) -> PassEntry:
        """Return the entry of a pass by its short or global name.

        Raises:
            UnknownNameError: If there is none.
        """
        found = self.find(name)
        if found is None:
            raise UnknownNameError(
                f"no pass {name!r} is registered{suggest(short_name(name), self._entries)}; "
                f"relayish.transform.list_passes(), or `relayish passes`, lists all there are"
            )
        return found

    def entries(self) -> tuple[PassEntry, ...]:
        """Return every entry, sorted by name; imports all sources."""
        for source in tuple(self._sources):
            if source not in self._loaded:
                self._load(source)
        return tuple(self._entries[name] for name in sorted(self._entries))

    def _load(self, source: PassSource) -> None:
        source.load()
        self._loaded.append(source)

    def build(self, spec: PassSpec, text: str) -> Pass:
        """Return the pass that one entry of the pipeline ``text`` stands for."""
        try:
            entry = self.get(spec.name)
        except UnknownNameError as error:
            error.add_note(f"at column {spec.position + 1} of:{point_at(text, spec.position)}")
            raise
        options = entry.read_options(spec, text)
        try:
            return entry.build(options)
        except PipelineError as error:
            error.add_note(f"at column {spec.position + 1} of:{point_at(text, spec.position)}")
            raise


def _stays(context: declared_temporarily, entry: PassEntry) -> bool:
    return context.stays(getattr(entry.factory, "__module__", None))


REGISTRY: Final = PassRegistry()
"""The one registry of the process."""


@dataclass_transform(frozen_default=True, eq_default=False)
def register_pass(
    opt_level: int | None = None,
    *,
    name: str | None = None,
    required: Sequence[str] = (),
    description: str | None = None,
    takes: type[Node] | None = None,
    infer_types: bool | None = None,
    idempotent: bool | None = None,
    requires: Sequence[str] | None = None,
    ensures: Sequence[str] | None = None,
    replace: bool = False,
    registry: PassRegistry = REGISTRY,
) -> Callable[[_Made], _Made]:
    """Register a pass class, a function that returns a pass, or a pass, under its name.

    The annotated fields of a class that has no constructor of its own become the parameters of
    one, and instances are frozen; parameters of the constructor or factory are the options of the
    pass. What a factory returns is given the registered name, level and requirements.

    Args:
        opt_level: May be left out where the class or pass has a :class:`PassInfo` already.
        name: Short name; the name of the class or function if not given.
        required: As in :class:`PassInfo`.
        description: One line; the first of the docstring if not given.
        takes: The kind of functions that a pass over functions takes, where the class or pass does
            not say it.
        infer_types: As in :class:`PassInfo`, and so are those up to ``ensures``; what is left out
            is as the class or pass has it already.
        idempotent: Applied to its own result, the pass returns that very object.
        requires: Names of checks that hold of what the pass is given.
        ensures: Names of checks that hold of what it returns.
        replace: Take the name from whoever has it.
        registry: For tests and tools that keep a table of their own.

    Raises:
        DuplicateNameError: If the name is claimed already; names both claimants.
        DeclarationError: If this is no pass, has no level, or an option without annotation.

    Example:
        >>> from relayish.ir.relay.expr import Function
        >>> from relayish.transform import FunctionPass
        >>> @register_pass(opt_level=1, registry=PassRegistry())
        ... class Nothing(FunctionPass):
        ...     "Leaves every function as it is."
        ...     twice: bool = False
        ...     def transform_function(self, func, mod, ctx):
        ...         return func
        >>> Nothing(twice=True)
        Nothing(twice=True)
    """

    def declare(made: _Made) -> _Made:
        held = _make_info(made, opt_level, name, required, description)
        info = dataclasses.replace(
            held,
            infer_types=held.infer_types if infer_types is None else infer_types,
            idempotent=held.idempotent if idempotent is None else idempotent,
            requires=held.requires if requires is None else requires,
            ensures=held.ensures if ensures is None else ensures,
        )
        registered, options, factory = _complete(_taking(made, takes), info)
        entry = PassEntry(info, options, factory, _claimant(made))
        registry.add(entry, replace=replace, by=getattr(made, "pass_func", made))
        return cast(_Made, registered)

    return declare


def get_pass(name: str, **options: object) -> Pass:
    """Return the registered pass ``name``, short or global, with these options.

    The name may carry options as in a pipeline: ``"FoldConstant{fold_qnn=true}"``.

    Raises:
        UnknownNameError: If no pass goes by that name.
        PipelineError: If the options are not those of the pass.
    """
    specs = parse_specs(name)
    if len(specs) > 1:
        raise PipelineError(
            f"expected one pass; found {len(specs)} in {name!r}; use parse_pipeline"
        )
    if not options:
        return REGISTRY.build(specs[0], name)
    entry = REGISTRY.get(specs[0].name)
    return entry.build({**entry.read_options(specs[0], name), **options})


def pass_entry(name: str) -> PassEntry:
    """Return what is known of the registered pass ``name``: level, requirements, options, claimant.

    Raises:
        UnknownNameError: If no pass goes by that name.
    """
    return REGISTRY.get(name)


def list_passes() -> tuple[str, ...]:
    """Return the short names of all registered passes, sorted; looks into every source."""
    return tuple(entry.name for entry in REGISTRY.entries())


def add_pass_source(source: PassSource) -> None:
    """Add a place to look for passes that are asked for and not yet registered."""
    REGISTRY.add_source(source)


def _taking(made: _Made, takes: type[Node] | None) -> _Made:
    """Return a function pass, or a class of these, over functions of class ``takes``."""
    if takes is None:
        return made
    kind = checked_kind(takes, _claimant(made))
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


def _make_info(
    made: Any,  # Any: see register_pass
    opt_level: int | None,
    name: str | None,
    required: Sequence[str],
    description: str | None,
) -> PassInfo:
    if not callable(made):
        raise DeclarationError(
            f"@register_pass takes a pass class, a function that returns a pass, or a pass; "
            f"found {made!r}"
        )
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
) -> tuple[object, tuple[PassOption, ...], Callable[..., Pass]]:
    """Return what stands in place of ``made``, its options, and what builds the pass."""
    if isinstance(made, Pass):
        settled = made.with_info(info)
        return settled, (), lambda: settled
    if inspect.isclass(made):
        cls: Any = made  # Any: a subclass of Pass, whatever its constructor takes
        return cls, _complete_class(cls, info), cls
    options = parameter_options(made, inspect.signature(made), _claimant(made))
    factory = _complete_factory(made, info)
    return factory, options, factory


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
    setattr(cls, "__post_init__", _checking_init(checks, info.name, cls))  # noqa: B010 - completing the class
    dataclasses.dataclass(frozen=True, eq=False)(cls)
    cls.__doc__ = documented  # dataclass would put the signature in place of none
    options = field_options(cls)
    checks.extend(options)
    return options


def _checking_init(options: list[PassOption], name: str, cls: type) -> Callable[[Any], None]:
    inherited = getattr(cls, "__post_init__", None)

    def __post_init__(self: Any) -> None:  # noqa: N807 - Any: the class being completed
        for option in options:
            object.__setattr__(
                self, option.name, _checked(name, option, getattr(self, option.name))
            )
        if inherited is not None:
            inherited(self)

    return __post_init__


def _complete_factory(
    factory: Callable[..., Any], info: PassInfo
) -> Callable[..., Pass]:  # Any: user
    @functools.wraps(factory)
    def build(*args: Any, **kwargs: Any) -> Pass:  # Any: the parameters of the factory
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
            )
        )

    return build


def _checked(owner: str, option: PassOption, value: object) -> object:
    try:
        return check_value(option.hint, value)
    except OptionValueError as error:
        raise PipelineError(f"option {option.name!r} of pass {owner}: {error}") from None


def _misplaced(message: str, text: str, position: int) -> PipelineError:
    return PipelineError(f"{message} (column {position + 1}){point_at(text, position)}")
