"""Offloading to other compilers: annotation, regions, partitioning."""
