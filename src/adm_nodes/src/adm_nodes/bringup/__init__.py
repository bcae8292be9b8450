"""Starting, watching and ending the nodes of a mission."""
