"""Seeded generator of believable office floors and apartments."""
