"""What people look at: core objects to markers that RViz and Foxglove draw."""
