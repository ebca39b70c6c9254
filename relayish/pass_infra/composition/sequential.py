"""Pipelines: passes one after the other, under the rules of the pass context."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Self, TypeVar

from relayish._support.display import repr_mimebundle
from relayish.errors import DeclarationError, PassError, PipelineError, UnknownNameError
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.context import PassContext, resume
from relayish.pass_infra.base.info import PassInfo, short_name
from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.base.type_inference import types_handed_on
from relayish.pass_infra.composition.registry import REGISTRY, get_pass
from relayish.registry.syntax import parse_specs

_M = TypeVar("_M", bound=AnyModule)


class Sequential(Pass):
    """Run passes in order, each where the current context enables it, after what it requires.

    A pass in ``disabled_pass`` does not run; one in ``required_pass`` runs whatever its level;
    else it runs when the level of the context is at least its own. What an enabled pass requires
    runs right before it, requirements of requirements first, each once for this pass, whatever
    the context disables.

    Args:
        passes: Passes, or names of registered ones, with options if wanted.
        opt_level: Level of the whole; counts where this stands inside another ``Sequential``.
        name: Name of the whole, for contexts and instruments.
        required: What must have run before the whole; counts as ``opt_level`` does.

    Raises:
        DeclarationError: If something in ``passes`` is no pass.
        UnknownNameError: If a name is not that of a registered pass.
    """

    def __init__(
        self,
        passes: Sequence[Pass | str] | None = None,
        opt_level: int = 0,
        name: str = "sequential",
        required: Sequence[str] = (),
    ) -> None:
        if isinstance(passes, (str, Pass)):
            raise DeclarationError(
                f"Sequential takes a sequence of passes; found {passes!r}; write [{passes!r}], "
                f"or parse_pipeline for a pipeline in a string"
            )
        self.passes = tuple(_as_pass(item) for item in passes or ())
        self.info = PassInfo(name, opt_level, required)
        self.is_resolved = False

    def run(self, mod: _M, ctx: PassContext) -> _M:
        inside = self.context(ctx)
        if inside is ctx:
            return self._run_steps(mod, ctx)
        with resume(inside):
            return self._run_steps(mod, inside)

    def context(self, ctx: PassContext) -> PassContext:
        """Return the context under which the passes run where this runs under ``ctx``."""
        return ctx

    def _run_steps(self, mod: _M, ctx: PassContext) -> _M:
        with types_handed_on():
            for step in self._steps(ctx):
                mod = step(mod)
        return mod

    def _steps(self, ctx: PassContext) -> Iterator[Pass]:
        """Yield what runs under ``ctx``, requirements before what requires them."""
        if self.is_resolved:
            yield from self.passes
            return
        for pass_ in self.passes:
            if ctx.pass_enabled(pass_.info):
                yield from requirements(pass_)
                yield pass_

    def plan(self, ctx: PassContext | None = None) -> tuple[Pass, ...]:
        """Return the passes that would run under ``ctx``, the current context if not given.

        What is required stands before who requires it; in the place of a ``Sequential`` inside
        stand its passes. Instruments may still keep a pass from running.

        Raises:
            PassError, UnknownNameError, PipelineError: As :func:`requirements`.
        """
        planned: list[Pass] = []
        inside = self.context(PassContext.current() if ctx is None else ctx)
        pending = [(self._steps(inside), inside)]
        while pending:
            steps, around = pending[-1]
            step = next(steps, None)
            if step is None:
                pending.pop()
            elif isinstance(step, Sequential):
                inside = step.context(around)
                pending.append((step._steps(inside), inside))  # noqa: SLF001 - of this class
            else:
                planned.append(step)
        return PassPlan(planned)

    def resolve(
        self,
        ctx: PassContext | None = None,
        change: Callable[[Pass], Pass] = lambda pass_: pass_,
        change_inside: Callable[[Sequential], Sequential] = lambda pipeline: pipeline,
    ) -> Self:
        """Return this with the very passes that would run under ``ctx``, whatever the context then.

        What is required stands before who requires it, what is not enabled is left out; a
        ``Sequential`` inside is resolved as well. So :meth:`plan` of the result is what runs,
        object by object, each of which has its place there.

        Args:
            ctx: The current context if not given.
            change: Returns what stands in place of each pass of the plan; called in order.
            change_inside: Returns what stands in place of each ``Sequential`` inside.

        Raises:
            PassError, UnknownNameError, PipelineError: As :func:`requirements`.
        """
        inside = self.context(PassContext.current() if ctx is None else ctx)
        made = copy.copy(self)
        made.passes = tuple(
            [
                change_inside(step).resolve(inside, change, change_inside)
                if isinstance(step, Sequential)
                else change(step)
                for step in self._steps(inside)
            ]
        )
        made.is_resolved = True
        return made

    def __repr__(self) -> str:
        return f"Sequential({list(self.passes)!r}, name={self.info.name!r})"


class PassPlan(tuple[Pass, ...]):
    """The passes that would run, in order."""

    __slots__ = ()

    _repr_mimebundle_ = repr_mimebundle


def parse_pipeline(text: str, name: str = "sequential") -> Sequential:
    """Return the pipeline written in ``text``.

    Raises:
        PipelineError: If the text does not follow the grammar of
            :mod:`relayish.registry.syntax`, or gives a pass options it does not have;
            points at the place.
        UnknownNameError: If no pass of a name is registered.

    Example:
        >>> parse_pipeline("")
        Traceback (most recent call last):
        ...
        relayish.errors.PipelineError: expected the name of a pass; found nothing (column 1)
        <BLANKLINE>
          ^
    """
    return Sequential([REGISTRY.build(spec, text) for spec in parse_specs(text)], name=name)


def requirements(pass_: Pass) -> tuple[Pass, ...]:
    """Return what ``pass_`` requires, directly and through others, in the order to run them.

    Each requirement, told apart by the name and options as written, comes once, after its own
    requirements.

    Raises:
        PassError: If a pass requires itself, directly or through others; shows the circle.
        UnknownNameError, PipelineError: If a requirement names no registered pass, or options it
            does not have.
    """
    resolved: dict[str, Pass] = {}
    path: list[str] = [pass_.info.name]
    open_: list[tuple[str, Pass, Iterator[str]]] = [("", pass_, iter(pass_.info.required))]
    while open_:
        written, owner, pending = open_[-1]
        wanted = next(pending, None)
        if wanted is None:
            open_.pop()
            path.pop()
            resolved[written] = owner
            continue
        wanted = short_name(wanted.strip())
        if wanted in resolved:
            continue
        found = _get_required_pass(wanted, owner)
        if found.info.name in path:
            circle = [*path[path.index(found.info.name) :], found.info.name]
            raise PassError(
                f"passes require each other in a circle: {' -> '.join(circle)}; "
                f"take one out of the required passes of another"
            )
        path.append(found.info.name)
        open_.append((wanted, found, iter(found.info.required)))
    del resolved[""]
    return tuple(resolved.values())


def _get_required_pass(wanted: str, owner: Pass) -> Pass:
    try:
        return get_pass(wanted)
    except (UnknownNameError, PipelineError) as error:
        error.add_note(f"required by pass {owner.info.name}")
        raise


def _as_pass(item: object) -> Pass:
    if isinstance(item, Pass):
        return item
    if isinstance(item, str):
        return get_pass(item)
    if isinstance(item, type) and issubclass(item, Pass):
        raise DeclarationError(
            f"Sequential holds passes; found the class {item.__name__}; write {item.__name__}()"
        )
    raise DeclarationError(f"Sequential holds passes; found {item!r}")
