"""Scale folding: scales of single channels, moved along a network into its weights.

``message`` says what is passed along; ``channels`` reads layouts; ``forward`` and ``backward`` say,
operator by operator, what becomes of a message and of a scale.
"""
