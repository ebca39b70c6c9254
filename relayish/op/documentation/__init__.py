"""What is said of every operator: a sentence, the shapes it takes and gives, its attributes.

It stands in compact tables, an operator in two or three lines, from which the docstrings of the
builders and the generated documentation are made.
"""

from relayish.op.documentation.docstring import docstring
from relayish.op.documentation.entry import Entry, documented, undocumented

__all__ = ["Entry", "docstring", "documented", "undocumented"]
