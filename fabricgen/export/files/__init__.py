"""Parts of a build, one file each: the name of the module is the name of the part."""
