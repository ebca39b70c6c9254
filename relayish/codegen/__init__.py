"""Programs as source of other languages."""

from relayish._support.missing import set_finder
from relayish.codegen.python import (
    PythonProgram,
    register_python_form,
    run_as_python,
    to_python,
)

__all__ = ["PythonProgram", "register_python_form", "run_as_python", "to_python"]

set_finder(__name__)
