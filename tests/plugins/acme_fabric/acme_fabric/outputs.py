"""Outputs."""

from collections.abc import Iterator

from fabricgen.api import ClusterView


def rack_cards(view: ClusterView) -> Iterator[tuple[str, str]]:
    """A card for the door of each rack: what is in it, from the top down."""
    devices = view.devices
    for rack in sorted(set(devices.rack) - {""}):
        rows = (devices.rack == rack).nonzero()[0]
        lines = [f"U{devices.u[row]:02d} {devices.name[row]} ({devices.model[row]})" for row in rows]
        yield f"{rack}.txt", "\n".join([rack, *sorted(lines, reverse=True), ""])
