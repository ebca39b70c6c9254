"""Building programs of core: modules, functions and statements in the order they are read."""
