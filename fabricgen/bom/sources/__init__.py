"""Sources of needs, one file each; every module in this folder is used."""
