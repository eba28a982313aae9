"""The pieces of the configurations of SONiC, a subject each."""
