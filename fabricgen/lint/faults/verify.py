"""What `verify` is given and cannot use."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG066 = Fault(
    id="FG066",
    name="NotToBeVerified",
    title="verify is asked for what is not there",
    text="""
    `--only` names a place that the plan does not have, or `--since`, or `view --verify`, a file that is no report of
    `verify`, or one of another hall.

    A place is a site, a pod, a unit (p1/su3), the nth rack of its nodes (p1/su3/rack2), a rack or a device by name, a
    fabric, or a tier (compute.spine). A report is what `fabricgen verify --format json` wrote. A misspelt place would
    have all of its cables count as verified, so it is refused.
    """,
    in_words=True,
    bad="""
    fabricgen verify example.yaml dumps --only p1/su9
    """,
    good="""
    fabricgen verify example.yaml dumps --only p1/su1
    """,
)
