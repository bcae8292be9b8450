"""What all nodes share; imports no node."""
