"""InfiniBand and Ethernet meet on a switch or a link."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class MixedProtocols(Fault):
    """A switch is for the other protocol than its fabric, or a tier or carrier of the other protocol is linked with
    it.

    The two have different link layers (InfiniBand Architecture Specification, volume 1; IEEE 802.3): no cable joins
    them without a gateway. Take a switch of the fabric's protocol; gateways between fabrics are extra devices.
    """

    id = "FG015"
    title = "InfiniBand and Ethernet meet on a switch or a link"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: qm9700}}}}  # <-
    """
    good = """
        fabrics: {compute: {protocol: infiniband, tiers: {
          leaf: {switch: qm9700}, spine: {switch: qm9700}}}}
    """
