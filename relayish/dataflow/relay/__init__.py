"""What data-flow analysis knows of Relay's kinds and operators."""
