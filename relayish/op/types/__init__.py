"""Type mathematics: dimensions, shapes, layouts, and what rules of types say with them."""
