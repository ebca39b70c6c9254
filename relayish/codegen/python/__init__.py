"""Relay programs as Python source on numpy."""

from relayish.codegen.python.program import PythonProgram, run_as_python, to_python

__all__ = ["PythonProgram", "run_as_python", "to_python"]
