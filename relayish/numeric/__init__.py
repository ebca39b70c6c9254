"""Numerics of networks: what layers compute, on arrays and numbers alone.

Operators of Relay and kernels of ONNX are adapters of these functions: they check what they were
given, bring it into one layout, and say in which element type a result counts as computed. Nothing
here knows of attributes, of nodes, or of how an operator is called.
"""
