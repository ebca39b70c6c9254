"""Clean-up: dead code, common subexpressions, copies, unused functions, names."""
