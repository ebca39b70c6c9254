"""Terminals that tests write to, and the environment that says what these show."""

from __future__ import annotations

import io

import pytest


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def set_usual_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the environment say nothing of colours, and that the terminal is a usual one."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
