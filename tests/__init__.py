"""The tests, a package so that they may import `tests.support`."""
