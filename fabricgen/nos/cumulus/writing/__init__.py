"""The pieces of the configurations of Cumulus Linux, a subject each."""
