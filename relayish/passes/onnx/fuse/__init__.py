"""Fusion in ONNX programs: several nodes become one that computes the same.

``affine`` reads what calls multiply and add; ``scaling`` puts that into the weights of other
operators; ``views`` looks through calls that only arrange elements.
"""
