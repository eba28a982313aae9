"""Packet trimming of Cumulus Linux, from 5.14 and Spectrum-4 on.

Words: user guide, Quality of Service, Packet Trimming; NVUE Command Reference, Packet Trimming. The switch that trims a
packet puts the rest of it into the class of `switch-priority`. The next one knows it by its DSCP alone, so that ports
trust DSCPs, and a map puts all others into class 0, as without a map. What leads out of the fabric is as it was.
"""

from __future__ import annotations

from typing import Any

from fabricgen.catalog.naming import NosNaming
from fabricgen.nos.cumulus.writing.qos import DSCPS, LOSSY_CLASS
from fabricgen.views.exits import EXIT
from fabricgen.views.switch import SwitchPort, SwitchView


def trim_values(switch: SwitchView, naming: NosNaming) -> dict[str, Any] | None:
    """The values for the templates, None for a switch that trims nothing: it is not asked to, or its chip cannot."""
    trim = switch.fabric.qos.trim
    if trim is None or not switch.ports or naming.configuration.explain_refusal("packet-trim", switch.profile.asic):
        return None
    return {
        "dscp": trim.dscp,
        "size": trim.size,
        "traffic_class": trim.traffic_class,
        "eligible": LOSSY_CLASS,
        "dscp_classes": [(dscp, trim.traffic_class if dscp == trim.dscp else LOSSY_CLASS) for dscp in DSCPS],
    }


def is_trimmed(port: SwitchPort) -> bool:
    """Whether a port of a switch that trims takes part."""
    return port.role != EXIT
