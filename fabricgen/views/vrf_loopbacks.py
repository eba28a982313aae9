"""Loopbacks of a switch in VRFs over EVPN."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VrfLoopback:
    """The address of a switch's own in a VRF over EVPN, without prefix length; "" for none. `number` is the VRF's."""

    vrf: str
    number: int
    address: str
    address6: str

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Its addresses with prefix lengths, IPv4 before IPv6."""
        pairs = ((self.address, 32), (self.address6, 128))
        return tuple(f"{address}/{length}" for address, length in pairs if address)
