"""Work of a program, without running it: operations, accesses, footprints, reuse."""
