"""Packet trimming of Cumulus Linux, from 5.14 and Spectrum-4 on.

Words: user guide, Quality of Service, Packet Trimming; NVUE Command Reference, Packet Trimming. The switch that trims a
packet puts the rest of it into the class of `switch-priority`. The next one knows it by its DSCP alone, so that ports
trust DSCPs, and a map puts all others into class 0, as without a map. What leads out of the fabric is as it was.
"""

from __future__ import annotations

from typing import Any

from fabricgen.switch.qos import Trimming


def trim_values(trimming: Trimming | None) -> dict[str, Any] | None:
    """The values for the templates, None for a switch that trims nothing: it is not asked to, or its chip cannot."""
    if trimming is None:
        return None
    return {
        "dscp": trimming.dscp,
        "size": trimming.size,
        "traffic_class": trimming.traffic_class,
        "dscp_classes": list(enumerate(trimming.class_of)),
    }
