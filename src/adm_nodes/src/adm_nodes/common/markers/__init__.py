"""Shapes that RViz and Foxglove draw, for the viewers of every package."""
