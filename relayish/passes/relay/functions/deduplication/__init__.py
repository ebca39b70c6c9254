"""Outlining, in parts: how parts of programs that do the same are found and made functions.

``labels`` gives nodes that do the same the same number, ``units`` holds the graph whose nodes are
joined into larger units, ``growth`` decides what is joined, and ``outline`` makes functions of
units that repeat, and calls in their places.
"""
