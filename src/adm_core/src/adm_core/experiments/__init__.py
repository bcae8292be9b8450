"""Experiments: one module per table of the paper, all rows kept, all figures from the rows."""
