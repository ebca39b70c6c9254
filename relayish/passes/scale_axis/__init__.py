"""Scales of single channels, moved along a network into the weights it has.

``message`` says what is passed along; ``channels`` reads layouts; ``forward`` and ``backward`` say,
operator by operator, what becomes of a message and of a scale.
"""
