"""Addresses of two sides, IPv4 and IPv6, matched by device and port."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fabricgen.diff.delta import Delta, in_order, in_order_of
from fabricgen.diff.listing import Listing, Rows
from fabricgen.diff.matching import match_rows

ADDRESS_CHANGES: Mapping[str, tuple[str, ...]] = {"renumbered": ("prefix",), "other-kind": ("kind",)}
_KEYS = ("device", "port")


def compare_addresses(old: Listing, new: Listing) -> Delta:
    """Addresses that are added, removed and changed.

    Identical rows are set aside; of the others, the n-th address of a family on a port is matched with the n-th on the
    same port.
    """
    columns = ("device", "port", "kind", "prefix")
    gone, come, _, _ = match_rows([(old[name], new[name]) for name in columns])
    left, right = with_family(old.picked(gone)), with_family(new.picked(come))
    removed, added, was, now = match_rows([(left[name], right[name]) for name in (*_KEYS, "family")])
    order = np.argsort(_places(left, was), kind="stable") if len(was) else was
    was, now = was[order], now[order]
    differs = {name: np.asarray(left[name][was] != right[name][now], dtype=bool) for name in ("prefix", "kind")}
    ways = {way: differs[about[0]] for way, about in ADDRESS_CHANGES.items()}
    removed, added = in_order(left, columns, removed), in_order(right, columns, added)
    return Delta("addresses", _KEYS, "device", left, right, removed, added, was, now, differs, ways)


def with_family(addresses: Listing) -> Listing:
    """The same listing with the address family of each prefix."""
    family = np.array(["ipv6" if ":" in prefix else "ipv4" for prefix in addresses["prefix"].tolist()], dtype=object)
    return Listing({**addresses.columns, "family": family})


def _places(side: Listing, rows: Rows) -> Rows:
    return in_order_of(side, (*_KEYS, "prefix"), rows)
