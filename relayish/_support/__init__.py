"""Support: threads, stacks, graphs and hooks, which know nothing of programs."""
