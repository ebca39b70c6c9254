"""Directions of analyses: with the execution of a program, or against it."""

from __future__ import annotations

from enum import Enum


class Direction(Enum):
    """Whether states are handed on in the order of execution, or against it."""

    FORWARD = "forward"  # a handler takes the state before its node, and returns the one after
    BACKWARD = "backward"  # it takes the state after its node, and returns the one before
