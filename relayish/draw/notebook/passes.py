"""Passes in notebooks: pipelines and plans, passes, and what instruments have to tell."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

from relayish._support.graph import walk_tree
from relayish.draw.notebook.frame import bar, fold, note, safe, table
from relayish.draw.notebook.table import SHOWN, Shown
from relayish.draw.report.recording import options_of
from relayish.pass_infra.base.context import PassContext
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.composition.registry import REGISTRY, PassEntry
from relayish.pass_infra.composition.sequential import PassPlan, Sequential
from relayish.pass_infra.instruments.counting import PassCountInstrument
from relayish.pass_infra.instruments.diff import DiffInstrument
from relayish.pass_infra.instruments.timing import PassProfile, PassTimingInstrument


@SHOWN.register(Pass)
def show_pass(pass_: Pass) -> Shown:
    """Show a pass: its level, what it requires and promises, its options, what it does."""
    entry = REGISTRY.find(pass_.info.name)
    given = options_of(pass_)
    options = [] if entry is None else list(entry.options)
    rows = [
        (
            safe(option.name),
            safe(given.get(option.name, repr(option.default))),
            safe(option.description),
        )
        for option in options
    ]
    told = table(("option", "value", ""), rows) if rows else ""
    said = inspect.getdoc(type(pass_)) or ""
    html = (
        _head(pass_.info)
        + told
        + (fold("documentation", f"<pre>{safe(said)}</pre>") if said else "")
    )
    return Shown(html, repr(pass_))


@SHOWN.register(PassEntry)
def show_entry(entry: PassEntry) -> Shown:
    """Show what is known of a registered pass."""
    rows = [
        (safe(option.name), safe(repr(option.default)), safe(option.description))
        for option in entry.options
    ]
    told = table(("option", "value if not given", ""), rows) if rows else ""
    return Shown(_head(entry.info) + told, repr(entry))


@SHOWN.register(PassInfo)
def show_info(info: PassInfo) -> Shown:
    """Show what a pass says about itself."""
    return Shown(_head(info), repr(info))


def _head(info: PassInfo) -> str:
    facts = [f"level {info.opt_level}"]
    for label, names in (
        ("requires", info.required),
        ("takes what is", info.requires),
        ("gives what is", info.ensures),
        ("keeps", info.preserves),
    ):
        if names:
            facts.append(f"{label} {', '.join(names)}")
    if info.idempotent:
        facts.append("idempotent")
    described = f": {safe(info.description)}" if info.description else ""
    return f"<p><b>{safe(info.name)}</b>{described}</p>{note('; '.join(facts))}"


@SHOWN.register(Sequential)
def show_pipeline(pipeline: Sequential) -> Shown:
    """Show a pipeline: its passes in order, pipelines inside it behind their names."""
    rows = list(_rows_of(pipeline.passes))
    heads = ("", "pass", "options", "level", "requires", "what it does")
    title = f"<p><b>{safe(pipeline.info.name)}</b></p>"
    return Shown(title + table(heads, rows, right=(0, 3)), repr(pipeline))


@SHOWN.register(PassPlan)
def show_plan(plan: PassPlan) -> Shown:
    """Show the passes that would run, in order."""
    heads = ("", "pass", "options", "level", "requires", "what it does")
    told = note(f"{len(plan):,} passes would run")
    return Shown(told + table(heads, _rows_of(plan), right=(0, 3)), repr(plan))


def _rows_of(passes: Sequence[Pass]) -> Iterator[Sequence[str]]:
    placed = [(each, 0) for each in passes]
    found = [item for root in placed for item in walk_tree(root, _inside)]
    for number, (each, depth) in enumerate(found, 1):
        info = each.info
        given = ", ".join([f"{name}={value}" for name, value in options_of(each).items()])
        yield (
            str(number),
            f"{'&emsp;' * depth}{safe(info.name)}",
            safe(given),
            str(info.opt_level),
            safe(", ".join(info.required)),
            safe(info.description),
        )


def _inside(placed: tuple[Pass, int]) -> list[tuple[Pass, int]]:
    pass_, depth = placed
    passes = pass_.passes if isinstance(pass_, Sequential) else ()
    return [(each, depth + 1) for each in passes]


@SHOWN.register(PassContext)
def show_context(ctx: PassContext) -> Shown:
    """Show a context: its level, passes, options and instruments."""
    rows = [
        ("level", str(ctx.opt_level)),
        ("required passes", ", ".join(ctx.required_pass) or "-"),
        ("disabled passes", ", ".join(ctx.disabled_pass) or "-"),
        ("instruments", ", ".join([type(each).__name__ for each in ctx.instruments]) or "-"),
        *[(name, repr(value)) for name, value in sorted(ctx.config.items())],
    ]
    return Shown(table(("PassContext", ""), [(safe(a), safe(b)) for a, b in rows]), repr(ctx))


@SHOWN.register(PassInstrument)
def show_instrument(instrument: PassInstrument) -> Shown:
    """Show an instrument that keeps nothing: its name, and what it does."""
    said = (inspect.getdoc(type(instrument)) or "").partition("\n")[0]
    html = f"<p><b>{safe(type(instrument).__name__)}</b></p>" + (note(said) if said else "")
    return Shown(html, repr(instrument))


@SHOWN.register(PassTimingInstrument)
def show_timing(timing: PassTimingInstrument) -> Shown:
    """Show how long passes took, those inside others behind them."""
    return _show_profiles(timing.profiles, timing.render())


@SHOWN.register(PassProfile)
def show_profile(profile: PassProfile) -> Shown:
    """Show how long one run of a pass took."""
    return _show_profiles([profile], f"{profile.name}: {profile.duration // 1000}us")


def _show_profiles(profiles: Sequence[PassProfile], text: str) -> Shown:
    if not profiles:
        return Shown(note("no pass ran yet"), "no pass ran yet")
    total = sum(profile.duration for profile in profiles) or 1
    found = [item for profile in profiles for item in walk_tree((profile, 0), _children)]
    rows = [
        (
            f"{'&emsp;' * depth}{safe(profile.name)}",
            f"{profile.duration / 1e6:,.2f}",
            f"{profile.own / 1e6:,.2f}",
            f"{100 * profile.duration / total:.1f}%",
            bar(profile.duration / total),
        )
        for profile, depth in found
    ]
    heads = ("pass", "ms", "ms of its own", "share", "")
    return Shown(table(heads, rows, right=(1, 2, 3)), text.rstrip("\n"))


def _children(placed: tuple[PassProfile, int]) -> list[tuple[PassProfile, int]]:
    return [(child, placed[1] + 1) for child in placed[0].children]


@SHOWN.register(PassCountInstrument)
def show_counts(counts: PassCountInstrument) -> Shown:
    """Show how often passes ran, changed something and failed."""
    rows = [
        (safe(name), f"{runs:,}", f"{counts.changes[name]:,}", f"{counts.failures[name]:,}")
        for name, runs in counts.runs.items()
    ]
    if not rows:
        return Shown(note("no pass ran yet"), "no pass ran yet")
    html = table(("pass", "run", "changed", "failed"), rows, right=(1, 2, 3))
    return Shown(html, counts.render().rstrip("\n"))


@SHOWN.register(DiffInstrument)
def show_differences(diff: DiffInstrument) -> Shown:
    """Show the differences that were printed last."""
    text = "\n".join(diff.shown)
    if not text:
        return Shown(note("no pass changed the program yet"), repr(diff))
    return Shown(difference(text), text)


def difference(text: str) -> str:
    """Return a unified difference, with what is gone and what is new coloured."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f" ... {len(lines) - MOST_LINES:,} more lines"]
    shown = [f'<span class="{_kind_of(line)}">{safe(line)}</span>' for line in lines]
    return f"<pre>{''.join(shown)}</pre>"


def _kind_of(line: str) -> str:
    if line.startswith(("---", "+++", "@@")):
        return "line quiet"
    return {"-": "line gone", "+": "line new"}.get(line[:1], "line")


MOST_LINES = 600
"""So many lines of differences are shown."""
