"""The benchmark of polyclust: the paper's experiments and ours. Not part of the installed package."""
