"""The words that only Relay's text has."""

from __future__ import annotations

import re
from typing import Final

from relayish.text.literals import DOTTED, IDENTIFIER, STRING
from relayish.text.source import BLANK

NONE: Final = "None"
"""The constant without a value, unless the module has a constructor of that name, as TVM's has."""
DEVICE: Final = "virtual_device"
"""The key of the device of a parameter, ``%x {virtual_device=...}``, and of that of a result."""
TYPE_KEY: Final = "attrs_type_key"
"""What TVM writes behind attributes that are not of the class their callee declares: theirs."""
TYPE_ARGS: Final = " /* type_args=["
"""What type arguments of a call start with, behind what is called: TVM reads past them."""
LABEL: Final = re.compile(r" /\* #(\d+) \*/")
"""What tells apart unknown types that are written several times."""
AFTER: Final = re.compile(
    rf"(?P<types>[ ]?{re.escape(TYPE_ARGS.strip())})"
    rf"|{BLANK}(?:(?P<mark>[(\[])|\.(?P<index>\d+)|(?P<binary><=|>=|==|!=|[-+*<>]|/(?![*/])))"
)
"""What may follow a value and belong to it."""
STATEMENT: Final = re.compile(
    rf"{BLANK}(?:%(?P<temp>\d+)\s*=(?!=)|(?P<word>let|free_var|free_type)(?![A-Za-z0-9_.=(])\s*)"
)
"""What a statement starts with, when it is not an expression alone."""
IN_STATEMENTS: Final = "%lf"
"""The characters that one starts with."""
FAST: Final = re.compile(
    rf"{BLANK}(?:(%\d++)|let[ \t\n]++(%{IDENTIFIER})) = ({DOTTED})\((%\w++(?:, %\w++)*+)\)"
    r"(?:[ ]/\*[^*/]*+\*/)?;",
    re.ASCII,
)
"""``%n = op(%a, %b);`` and ``let %x = op(%a, %b);``, most of what programs consist of."""
GLOBAL: Final = re.compile(rf"{BLANK}(@(?:{DOTTED}|{STRING}))")
INTEGER: Final = re.compile(rf"{BLANK}(-?\d++)(?![A-Za-z0-9_.])")
VERSION: Final = re.compile(rf'{BLANK}#\[{BLANK}version{BLANK}={BLANK}"([^"\n]*)"{BLANK}\]')
MODULE_ATTRS: Final = re.compile(rf"{BLANK}#\[{BLANK}attrs{BLANK}\(")
TYPE: Final = re.compile(
    rf"{BLANK}(?:(?P<name>{DOTTED}|\#{STRING})|\#(?P<label>\d+)(?P<defined>=)?|(?P<mark>\())"
)
"""What a type starts with."""
