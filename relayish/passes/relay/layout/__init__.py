"""Layouts: operators computing in others than the program says, with few rearrangements between.

``conversion`` says what asks for layouts, ``arrangement`` keeps tensors in more than one layout,
``propagate`` carries layouts through a program, operator by operator.
"""
