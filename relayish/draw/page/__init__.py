"""The interactive page: a document of a diagram, and the script that shows it, in one file."""
