"""What dead code elimination is made of: which bindings are needed, and how often."""
