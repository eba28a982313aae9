"""Report formats of `check --running`, one file each."""
