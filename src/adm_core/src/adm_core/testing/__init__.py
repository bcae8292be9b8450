"""Doubles of the outside world, shipped so that downstream tests can use them too."""
