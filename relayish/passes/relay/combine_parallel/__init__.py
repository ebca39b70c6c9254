"""Combining of parallel operators: calls on the same data, computed by one call.

``branches`` finds them, ``order`` sees to it that none waits for itself, ``combiner`` says what an
operator has to tell, ``sections`` and ``stack`` how results are laid side by side, and ``combine``
rebuilds the program.
"""
