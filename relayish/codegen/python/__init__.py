"""Relay programs as Python source on numpy."""

from relayish.codegen.python.forms import register_python_form
from relayish.codegen.python.program import PythonProgram, run_as_python, to_python

__all__ = ["PythonProgram", "register_python_form", "run_as_python", "to_python"]
