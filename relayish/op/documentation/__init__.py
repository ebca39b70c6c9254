"""Documentation of operators: a sentence, the shapes taken and given, the attributes.

It stands in compact tables, an operator in two or three lines, from which the docstrings of the
builders and the generated documentation are made.
"""

from relayish.op.documentation.docstring import build_docstring
from relayish.op.documentation.entry import Entry, find_undocumented, load_documentation

__all__ = ["Entry", "build_docstring", "find_undocumented", "load_documentation"]
