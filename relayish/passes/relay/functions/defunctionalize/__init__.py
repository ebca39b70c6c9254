"""Defunctionalization, in parts: monomorphisation, then data in place of functions.

``specialise`` copies polymorphic functions for the types they are used at, ``encode`` puts values
of data types in the place of functions.
"""
