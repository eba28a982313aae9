"""Run fabricgen as `python -m fabricgen`."""

from fabricgen.cli.main import main

main()
