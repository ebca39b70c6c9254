"""Programs as source of other languages."""

from relayish.codegen.python import PythonProgram, run_as_python, to_python

__all__ = ["PythonProgram", "run_as_python", "to_python"]
