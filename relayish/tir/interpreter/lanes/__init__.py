"""Loops whose iterations are the lanes of arrays: the fast mode of the interpreter.

A nest runs in lockstep: each statement for all iterations of the loops that carry no dependence,
while the others go on serially. Whatever cannot be told in advance, and every fault, gives up what
was done and leaves the nest to the plain walk, so results and errors are those of the plain walk.
"""
