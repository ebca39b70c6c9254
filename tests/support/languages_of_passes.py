"""The language whose programs a pass takes, by the room in which it stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from relayish.ir.relay.module import IRModule
from relayish.transform import PassContext, list_passes, pass_entry
from tests.support.standing import made_for

OTHER_LANGUAGES: Final = ("loops", "core", "onnx")
"""Languages whose passes change nothing in a program of Relay's operators alone."""

RELAYS_AS_WELL: Final = {
    "EliminateCommonSubexprOnnx": "it shares whatever has no effect",
    "InlineOnnxFunctions": "it inlines whatever function is called once",
    "LowerOnnx": "it needs types, which some programs have not",
    "ConvertOpset": "it refuses what has no version of an operator set",
    "RaiseToOnnx": "it takes programs of Relay",
}
"""Passes of theirs that do all the same, or refuse it."""


def language_of(name: str) -> str:
    """Return the language of the programs that a pass takes."""
    if name in RELAYS_AS_WELL:
        return "relay"
    claimant = pass_entry(name).claimant
    _, _, inside = claimant.partition("relayish.passes.")
    language = inside.partition(".")[0]
    return language if language in OTHER_LANGUAGES else "relay"


RELAY_PASSES: Final = tuple(name for name in list_passes() if language_of(name) == "relay")
OTHER_PASSES: Final = tuple(name for name in list_passes() if language_of(name) != "relay")


def check_given_back(name: str, programs: Iterable[IRModule]) -> None:
    """Assert that a pass of another language gives programs of Relay back as the same objects."""
    with PassContext(opt_level=4):
        for number, mod in enumerate(programs):
            for pass_ in made_for(name, mod):
                assert pass_(mod) is mod, f"{name} on program {number}"
