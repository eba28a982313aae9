"""What is known of single pieces of hardware: the inventory, and GUIDs of InfiniBand fabrics, stated or planned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fabricgen.export.view.source import (
    Packed,
    PageSource,
    pack_numbers,
    pack_reference,
    pack_table,
    pack_words,
)
from fabricgen.numbering.lazy_columns import encode_column


def block(source: PageSource) -> dict[str, Any]:
    """Return `inventory` with the columns of its CSV file, and `guids`: device, port ("" for the switch itself), GUIDs
    as words.
    """
    rows = [row.figures for row in source.cluster.design.loaded.inventory]
    names = ("device", "port", "mac", "guid", "serial")
    return {
        "inventory": pack_table({name: [row[i] for row in rows] for i, name in enumerate(names)}),
        "guids": _pack_guids(source),
    }


def _pack_guids(source: PageSource) -> Packed:
    """Return the table of GUIDs; `stated` is 1 for those that the inventory gives and 0 for planned ones."""
    row_by_name = {name: row for row, name in enumerate(source.cluster.names)}
    rows = [(row_by_name[device], *row) for device, *row in _list_guid_rows(source)]
    device, port, guid, of_port, stated = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    port_codes = {name: code for code, name in enumerate(dict.fromkeys(port))}
    return pack_table(
        {
            "device": pack_reference("devices", "name", device),
            "port": encode_column(list(port_codes), np.array([port_codes[name] for name in port], dtype=np.int64)),
            **_pack_guid_words("guid", guid),
            **_pack_guid_words("port_guid", of_port),
            "stated": {"numbers": pack_numbers(np.array(stated, dtype=np.int64))},
        },
        len(rows),
    )


def _list_guid_rows(source: PageSource) -> Iterator[tuple[str, str, int, int, bool]]:
    """Yield (device, port, GUID, port GUID, whether stated) of every InfiniBand switch and adapter.

    The port is "" and the port GUID 0 for a switch.
    """
    for name in source.cluster.whole_fabrics():
        fabric = source.cluster.whole_fabric(name)
        for switch in fabric.switches:
            yield switch.name, "", switch.guid, 0, switch.stated
        for adapter in fabric.adapters:
            yield adapter.name, adapter.port, adapter.guid, adapter.port_guid, adapter.stated


def _pack_guid_words(name: str, values: Any) -> dict[str, Packed]:
    """Return 64-bit GUIDs as two columns of 32-bit words, NAME_high and NAME_low."""
    numbers = np.array(values, dtype=np.uint64)
    halves = {"high": numbers >> np.uint64(32), "low": numbers & np.uint64(0xFFFFFFFF)}
    return {f"{name}_{half}": {"numbers": pack_words(words)} for half, words in halves.items()}
