"""What ``FuseOps`` is made of: the graph of calls, and how its nodes come into groups."""
