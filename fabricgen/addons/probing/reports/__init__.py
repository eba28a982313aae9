"""Report formats of `probe judge`, one file each."""
