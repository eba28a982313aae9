"""Sign-off: runs that load every part of a hall, and what their results say of it."""
