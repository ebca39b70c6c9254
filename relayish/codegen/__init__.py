"""Programs as source of other languages: Python, and C, which is compiled and called."""

from relayish._support.missing import set_finder
from relayish.codegen.c import CompiledNetwork, build_network
from relayish.codegen.python import (
    PYTHON_FORMS,
    PythonForm,
    PythonProgram,
    run_as_python,
    to_python,
)

__all__ = [
    "PYTHON_FORMS",
    "CompiledNetwork",
    "PythonForm",
    "PythonProgram",
    "build_network",
    "run_as_python",
    "to_python",
]

set_finder(__name__)
