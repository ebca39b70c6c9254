"""Layout rules: in which layouts operators take their arguments and give their results.

``rules`` has those that serve many operators, ``shape_rules`` those of operators that move elements
about, ``quantised_rules`` those of quantised ones. An operator names its rule where it is declared.
"""
