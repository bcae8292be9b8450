"""Doubles of what nodes talk to, for tests here and downstream."""
