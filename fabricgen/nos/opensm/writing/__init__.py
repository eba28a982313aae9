"""Pieces of the files of a subnet manager, a module for each subject."""
