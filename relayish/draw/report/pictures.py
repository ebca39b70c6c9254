"""Pictures of the programs before and after a step, with what changed marked in both."""

from __future__ import annotations

from typing import Any

from relayish.draw.report.steps import Step


class Pictures:
    """The pictures of a report."""

    def __init__(self) -> None:
        self.documents: list[Any] = []
        self.note = ""

    def of(self, step: Step) -> Any:  # noqa: ARG002 - Any: as JSON has it
        """Return the pictures of a step."""
        return None
