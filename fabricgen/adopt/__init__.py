"""The page of a cluster that runs, found from what its devices say of their neighbours and of themselves."""
