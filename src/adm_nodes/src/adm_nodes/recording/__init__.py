"""Runs as MCAP files: every message of a domain, with the types and profiles to play it again."""
