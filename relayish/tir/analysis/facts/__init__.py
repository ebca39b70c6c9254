"""Facts at places of a program: of loops and branches around, effects and faults, and proofs."""
