"""Dead-code elimination, in parts: which bindings are live, and how often they are used."""
