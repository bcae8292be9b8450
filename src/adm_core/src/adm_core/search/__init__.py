"""Language-guided search by a team of robots (SAGR, arXiv 2604.16263)."""
