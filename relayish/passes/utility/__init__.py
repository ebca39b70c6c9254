"""Types, spans and printing."""
