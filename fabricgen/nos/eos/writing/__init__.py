"""The pieces of the configurations of Arista EOS, a subject each."""
