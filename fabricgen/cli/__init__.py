"""The command line."""

from fabricgen.cli.left_out import leave_out

leave_out()
