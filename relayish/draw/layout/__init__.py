"""Layered layout of boxes within boxes, after Sugiyama: layers, order within them, places.

What depends on no size comes first, level by level: :func:`order_levels`. Then places, from the
innermost boxes outwards: :func:`place_level`, :func:`lay_out`.
"""
