"""Relay programs as Python source on numpy."""

from relayish.codegen.python.forms import PYTHON_FORMS, PythonForm
from relayish.codegen.python.program import PythonProgram, run_as_python, to_python

__all__ = ["PYTHON_FORMS", "PythonForm", "PythonProgram", "run_as_python", "to_python"]
