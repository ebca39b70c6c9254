"""Pictures of programs: one diagram of boxes and edges, shown as SVG, dot, text, and a page."""
