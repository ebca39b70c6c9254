"""Structure of loops: schedule blocks, steps, unrolling, vectorisation, names, flat indices."""
