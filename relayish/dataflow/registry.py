"""Analyses by name: registration, options, and sources from which they are found.

Passes are registered the same way. A name is written in CamelCase by habit (``Liveness``), and
asked for in any case, with underscores or without: ``liveness``, ``reaching_definitions``.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any, ClassVar, Final, TypeVar, get_origin, get_type_hints

from relayish._support import hooks
from relayish.dataflow.direction import Direction
from relayish.dataflow.solver.analysis import Analysis
from relayish.errors import AnalysisError, DeclarationError, PipelineError
from relayish.registry.named import Entry, Registry, summary_of
from relayish.registry.option import PassOption, parameter_options
from relayish.registry.source import EntryPointSource
from relayish.registry.syntax import is_name, parse_specs

GROUP: Final = "relayish.analyses"
"""The group of entry points under which other packages name modules that register analyses."""

SOLVER_OPTIONS: Final = (
    PassOption("widen_after", int, Analysis.widen_after),
    PassOption("narrowing", int, Analysis.narrowing),
)
"""Options of every analysis, beside its own: how the solver treats it."""

_Made = TypeVar("_Made", bound=Callable[..., Any])  # Any: a class of analyses, or a factory


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class AnalysisEntry(Entry[Analysis[Any]]):  # Any: with states of its own
    """What the registry knows of one analysis.

    Attributes:
        direction: Whether its states flow with control or against it.
        description: One line.
        options: Its own ones, and those of the solver.
    """

    what: ClassVar[str] = "analysis"

    name: str = dataclasses.field()  # else the property of the base were its default
    direction: Direction
    description: str
    options: tuple[PassOption, ...]
    factory: Callable[..., Analysis[Any]]
    claimant: str

    @property
    def global_name(self) -> str:
        return self.name

    @property
    def own_options(self) -> tuple[PassOption, ...]:
        """Its options without those that all analyses have."""
        return tuple([option for option in self.options if option not in SOLVER_OPTIONS])


class AnalysisRegistry(Registry[AnalysisEntry]):
    """A table of analyses, and the sources from which it is filled when needed."""

    entry = AnalysisEntry
    listing = "relay.dataflow.list_analyses(), or `relayish analyse --list`, lists all there are"

    def key_of(self, name: str) -> str:
        return name.replace("_", "").lower()

    def find(self, name: str) -> AnalysisEntry | None:
        found = super().find(name)
        if found is not None:
            return found
        hooks.load_analyses()
        return super().find(name)

    def entries(self) -> tuple[AnalysisEntry, ...]:
        hooks.load_analyses()
        return super().entries()


ANALYSES: Final = AnalysisRegistry()
"""The one registry of the process."""
ANALYSES.add_source(EntryPointSource(GROUP, "analyses"))


def register_analysis(
    name: str | None = None,
    *,
    description: str | None = None,
    direction: Direction | None = None,
    replace: bool = False,
    registry: AnalysisRegistry = ANALYSES,
) -> Callable[[_Made], _Made]:
    """Register a class of analyses, or a function that returns an analysis, under a name.

    The keyword-only parameters of the constructor or function are the options of the analysis.
    Every analysis has ``widen_after`` and ``narrowing`` besides.

    Args:
        name: CamelCase by habit; that of the class if not given.
        description: One line; the first of the docstring if not given.
        direction: Of what a function returns, where its annotation does not tell.
        replace: Take the name from whoever has it.
        registry: For tests and tools that keep a table of their own.

    Raises:
        DuplicateNameError: If somebody else claims the name; names both claimants.
        DeclarationError: If this is no class of analyses and no function, or has no name, no
            direction, an option without annotation, or one that can be given by position.

    Example:
        >>> from relayish.dataflow.functor import BackwardDataFlow
        >>> from relayish.dataflow.lattice import Powerset
        >>> names = AnalysisRegistry()
        >>> @register_analysis(registry=names)
        ... class Used(BackwardDataFlow):
        ...     "Variables used from here on, those of some names left out."
        ...     lattice = Powerset()
        ...     def __init__(self, *, without: tuple[str, ...] = ()) -> None:
        ...         super().__init__()
        ...         self.without = without
        ...     def visit_var(self, var, used):
        ...         return used if var.name_hint in self.without else used.add(var.name_hint)
        >>> names.get("used").build({"without": ("x",)}).without
        ('x',)
    """
    given: object = name  # still to be checked
    if given is not None and not (isinstance(given, str) and is_name(given)):
        raise DeclarationError(_describe_misuse(given))

    def declare(made: _Made) -> _Made:
        claimant = _claimant(made)
        called, own = _name_of(made, name), _options_of(made, claimant)
        named = {option.name for option in own}
        of_solver = tuple([option for option in SOLVER_OPTIONS if option.name not in named])
        entry = AnalysisEntry(
            called,
            _direction_of(made, direction, claimant),
            description or summary_of(made),
            (*own, *of_solver),
            _factory(made, called, [option.name for option in of_solver], claimant),
            claimant,
        )
        registry.add(entry, replace=replace, by=made)
        return made

    return declare


def get_analysis(name: str, **options: object) -> Any:  # Any: an Analysis, and what it has besides
    """Return a new analysis of that name, with these options.

    The name may carry options as well: ``"intervals{widen_after=5}"``.

    Raises:
        UnknownNameError: If no analysis goes by that name.
        PipelineError: If the options are not those of the analysis.
    """
    entry, written = read_analysis(name)
    return entry.build({**written, **options})


def read_analysis(text: str) -> tuple[AnalysisEntry, dict[str, object]]:
    """Return the one analysis that ``text`` names, and the options it gives.

    Raises:
        UnknownNameError, PipelineError: As :func:`get_analysis`.
    """
    specs = parse_specs(text, "an analysis")
    if len(specs) > 1:
        raise PipelineError(
            f"expected one analysis; found {len(specs)} in {text!r}; use parse_analyses"
        )
    entry = ANALYSES.entry_of(specs[0], text)
    return entry, entry.read_options(specs[0], text)


def parse_analyses(text: str) -> tuple[Analysis[Any], ...]:
    """Return the analyses written in ``text``: ``"liveness,intervals{widen_after=5}"``.

    Raises:
        PipelineError: If the text does not follow the grammar of pipelines, or gives an analysis
            options it does not have; points at the place.
        UnknownNameError: If no analysis of a name is registered.
    """
    specs = parse_specs(text, "an analysis")
    return tuple([ANALYSES.entry_of(spec, text).build_written(spec, text) for spec in specs])


def analysis_entry(name: str) -> AnalysisEntry:
    """Return what is known of an analysis: direction, options, description, claimant.

    Raises:
        UnknownNameError: If no analysis goes by that name.
    """
    return ANALYSES.get(name)


def list_analyses() -> tuple[str, ...]:
    """Return the names of all registered analyses, sorted; looks into every source."""
    return tuple([entry.name for entry in ANALYSES.entries()])


def _name_of(made: Any, name: str | None) -> str:  # Any: see register_analysis
    if name is not None:
        return name
    if inspect.isclass(made):
        return made.__name__
    raise DeclarationError(
        f"@register_analysis needs the name of the analysis that {_claimant(made)} returns; write "
        f"@register_analysis('TheName')"
    )


def _direction_of(made: Any, given: Direction | None, claimant: str) -> Direction:  # Any: as above
    """Return the direction that is given, or that of the class, or of what a function returns."""
    kind = made if inspect.isclass(made) else get_type_hints(made).get("return")
    kind = get_origin(kind) or kind
    found = given or getattr(kind, "direction", None)
    if not isinstance(found, Direction):
        raise DeclarationError(
            f"analysis {claimant} does not say in which direction its states flow; derive it from "
            f"ForwardDataFlow or BackwardDataFlow, or write direction=Direction.FORWARD"
        )
    return found


def _options_of(made: Any, claimant: str) -> tuple[PassOption, ...]:  # Any: as above
    """Return the options that the keyword-only parameters of ``made`` stand for."""
    if inspect.isclass(made) and made.__init__ is object.__init__:
        return ()
    signature = inspect.signature(made)
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise DeclarationError(
                f"parameter {parameter.name!r} of analysis {claimant} can be given by position; "
                f"put it behind a *, as the options of an analysis stand"
            )
    function = made.__init__ if inspect.isclass(made) else made
    return parameter_options(function, signature, claimant, "analysis")


def _factory(
    made: Any,  # Any: as above
    name: str,
    of_solver: Collection[str],
    claimant: str,
) -> Callable[..., Analysis[Any]]:
    """Return what calls ``made``, checks what that returns, and gives it its name and settings."""
    if inspect.isclass(made):
        missing = sorted(getattr(made, "__abstractmethods__", ()))
        if not issubclass(made, Analysis) or missing:
            raise DeclarationError(
                f"{claimant} is no class of analyses that can be made; derive it from "
                f"ForwardDataFlow or BackwardDataFlow"
            )

    @functools.wraps(made, updated=())
    def build(**options: Any) -> Analysis[Any]:  # Any: what each option is
        settings = {option: options.pop(option) for option in of_solver if option in options}
        analysis: object = made(**options)
        if not isinstance(analysis, Analysis):
            raise AnalysisError(f"{claimant} must return an analysis; found {analysis!r}")
        for attribute, value in {"name": name, **settings}.items():
            setattr(analysis, attribute, value)
        return analysis

    return build


def _claimant(made: Any) -> str:  # Any: as above
    if not callable(made) or not hasattr(made, "__qualname__"):
        raise DeclarationError(
            f"@register_analysis takes a class of analyses, or a function that returns one; "
            f"found {made!r}"
        )
    return f"{made.__module__}.{made.__qualname__}"


def _describe_misuse(found: object) -> str:
    if isinstance(found, str):
        return (
            f"an analysis needs a name that can stand in a list, of letters, digits and _; found "
            f"{found!r}"
        )
    return (
        f"@register_analysis stands bare before {found!r}, or is given what is no name; write "
        f"@register_analysis('TheName') above it"
    )
