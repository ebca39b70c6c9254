"""Programs of ONNX in another version of its operator set.

``same_steps`` lists the steps between versions of an operator that change nothing for calls that
were valid before; ``adapters`` finds what rewrites a call where a step does change something.
"""
