"""What ``Defunctionalization`` is made of: one type for each function, then data for functions.

``specialise`` copies polymorphic functions for the types they are used at, ``encode`` puts values
of data types in the place of functions.
"""
