"""A redlined sheet cannot be taken as it is."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadRedlines(Fault):
    """A sheet that `as-built` was given is damaged or too large, lacks columns, is of another cluster or an older plan,
    says two things of one cable, or puts a cable where it cannot be.

    What stands in the hall is written down once, by hand; a line that were dropped or guessed would send the next
    technician to the wrong port. The message has file, sheet, row and column. Correct the cell, or export the sheet
    anew where its planned columns are old; nothing is written before all lines are right.
    """

    id = "FG084"
    title = "a redlined sheet cannot be taken as it is"
    in_words = True
    bad = """
        cable,a_device,a_cage,b_device,b_cage,done,built_b_cage
        leaf-01:33,leaf-01,33,spine-01,1,x,=B7
    """
    good = """
        cable,a_device,a_cage,b_device,b_cage,done,built_b_cage
        leaf-01:33,leaf-01,33,spine-01,1,x,7
    """
