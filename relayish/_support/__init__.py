"""What the package needs and has nothing to do with programs."""
