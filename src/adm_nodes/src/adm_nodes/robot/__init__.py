"""The robot as the skills node knows it: topics of a bridge behind the port of the skills."""
