"""BGP sessions of two sides, and why sessions on both sides go down and come up again.

A session is identified by the lower end of its link. It flaps if its link ends elsewhere (`moved`); if an address at
its ends (`readdressed`), an AS number (`other-asn`), a router id (`other-router-id`) or the speed of the port
(`other-speed`) changes; if its cable or a transceiver is replaced (`recabled`); or if a switch at an end is moved to
another place (`device-moved`) or becomes another model or network operating system (`device-replaced`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fabricgen.diff.delta import Delta, compare_rows
from fabricgen.diff.listing import Column, Listing, Lists, Rows, find_among, find_rows, index_rows

SESSION_CHANGES: Mapping[str, tuple[str, ...]] = {
    "moved": ("b_device", "b_port"),
    "readdressed": ("a_ip", "b_ip"),
    "other-asn": ("a_asn", "b_asn"),
    "other-router-id": ("a_router_id", "b_router_id"),
    "other-speed": ("speed_gbps",),
    "recabled": ("cable", "cable_part", "a_transceiver", "b_transceiver"),
    "device-moved": ("a_place", "b_place"),
    "device-replaced": ("a_model", "b_model"),
    "reassigned": ("fabric",),
}
"""Way in which a session changes -> the columns of `list_sessions` that then differ."""


def list_sessions(lists: Lists, among_links: Rows) -> Listing:
    """List the BGP sessions over some links: those between two switches with AS numbers, except at management ports.

    A link at a management port has 1 Gb/s, and its lower switch belongs to another fabric than the link.
    """
    devices, links = lists.devices, lists.links.pick_rows(among_links)
    row_of = index_rows(devices["device"].tolist())
    a, b = find_rows(row_of, links["a_device"]), find_rows(row_of, links["b_device"])
    both_listed = (a >= 0) & (b >= 0)
    has_asn = ~find_among(("",), devices["asn"])
    rows = np.flatnonzero(both_listed)
    rows = rows[has_asn[a[rows]] & has_asn[b[rows]]]
    # at a management port a link has 1 Gb/s, and its lower switch is of another fabric
    other_fabric = np.asarray(devices["fabric"][a[rows]] != links["fabric"][rows], dtype=bool)
    rows = rows[~(other_fabric & np.asarray(links["speed_gbps"][rows] == "1", dtype=bool))]
    names = ("fabric", "a_device", "a_port", "b_device", "b_port", "speed_gbps", "a_ip", "b_ip", "cable")
    columns: dict[str, Column] = {name: links[name][rows] for name in names}
    cables = lists.cables.pick_rows(np.flatnonzero(find_among(columns["cable"].tolist(), lists.cables["cable"])))
    cable = find_rows(index_rows(cables["cable"].tolist()), columns["cable"])
    for name, source in (("cable_part", "part"), ("a_transceiver",) * 2, ("b_transceiver",) * 2):
        # links without a cable have -1, which reads the last entry: ""
        columns[name] = np.append(cables[source][:], np.array([""], dtype=object))[cable]
    places = devices["rack"][:] + " u" + devices["u"][:]
    models = devices["model"][:] + " " + devices["nos"][:]
    for end, device in (("a", a[rows]), ("b", b[rows])):
        columns |= {
            f"{end}_asn": devices["asn"][device],
            f"{end}_router_id": devices["loopback"][device],
            f"{end}_place": places[device],
            f"{end}_model": models[device],
        }
    return Listing(columns)


def compare_sessions(old: Listing, new: Listing) -> Delta:
    """Compare two lists of `list_sessions`: sessions that are added, removed, or flap."""
    delta = compare_rows("sessions", ("a_device", "a_port"), SESSION_CHANGES, (old, new), "a_device")
    moved_to_other_switch = delta.ways["moved"] & delta.differs["b_device"]
    for column in ("b_asn", "b_router_id", "b_place", "b_model"):  # they differ because the peer does
        delta.differs[column][moved_to_other_switch] = False
    for change, columns in SESSION_CHANGES.items():
        delta.ways[change][:] = np.logical_or.reduce([delta.differs[column] for column in columns])
    return delta
