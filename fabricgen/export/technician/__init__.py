"""The technician's pack: where cable ends are, what is pulled together and in which order, and the workbooks for it."""
