"""Quantised networks: from fake quantisation to integers, and on to plain operators.

``regions`` makes what stands between dequantised and quantised numbers integers, by the rules for
operators in ``integer_rules``; ``affine_types`` is what these look up.
"""
