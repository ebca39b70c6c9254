"""Fields of nodes: what they hold, which roles they have, and code made of that."""
