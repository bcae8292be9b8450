"""Simulated worlds that missions run in."""
