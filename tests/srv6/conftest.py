"""Which tests of SRv6 there are."""

from __future__ import annotations

import os

collect_ignore = [] if "SONIC_BUILDIMAGE" in os.environ else ["test_bgpcfgd.py"]
"""Tests by SONiC's own managers are none where nobody names a checkout of sonic-net/sonic-buildimage, which `.ci/run`
fetches where it can: CI allows no test that is skipped."""
