"""What the passes to normal forms are made of."""
