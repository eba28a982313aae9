"""The command line."""

from fabricgen.cli.left_out import leave_out

leave_out()  # here, since every module of this package comes after it, and click and numpy with them
