"""Stubs: what type checkers and editors see of what is declared while a program runs.

Constructors of nodes, builders of operators, passes and default handlers of functors are made from
declarations. From these come the stubs as well: those of relayish itself, which its wheel holds,
and those of a package that declares some of its own (:mod:`relayish.stubs.package`).
"""
