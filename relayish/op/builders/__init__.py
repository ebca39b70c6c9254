"""Building calls of operators from their declarations: one function for each operator."""
