"""Parts of a build, one file each: the module's name is the part's name."""
