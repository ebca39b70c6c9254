"""The solver of data-flow analyses, and what it asks of them."""
