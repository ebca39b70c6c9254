"""Search for schedules of functions and of networks, by measuring what is compiled of them.

``relayish.tir.tune`` is what searches for one of a function; :mod:`relayish.tuning.networks` tells
which functions a network has.
"""
