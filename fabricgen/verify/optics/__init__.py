"""What is plugged in and how the ports run: dumps of modules and ports, held against the planned cables."""
