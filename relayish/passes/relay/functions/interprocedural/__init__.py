"""Interprocedural transformation: copies of functions, inlining, captures.

``copy`` makes a function whose variables are fresh, ``call_site`` says what a call of a function
that is known becomes, ``moving`` puts functions that are called once where that is.
"""
