"""An omitted slot does not exist, or nodes do not fill the units stated."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownSlot(Fault):
    """`omit` names a pod, unit or node that there is none of, or a pod's `nodes` leave whole units empty.

    What is omitted keeps its number free, so a name that matches nothing would leave a node wired that is not
    there. Write it like p1/su-last/node-last; for a pod of fewer nodes, state the units that these fill.
    """

    id = "FG013"
    title = "an omitted slot does not exist, or nodes do not fill the units stated"
    bad = """
        omit:
          - p1/su-last/node-9  # <-
    """
    good = """
        omit:
          - p1/su-last/node-4
    """
