"""Devices that are the same box under another name, and the lists of the old side under the names of the new one.

Devices of two blueprints are the same if they have the same default name, which follows from coordinates alone. A built
folder has no default names: there a device that went and one that came are the same if their rows in devices.csv agree
in all but the name, addresses included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fabricgen.blueprint.beside.adopted import ADOPTED
from fabricgen.cluster import Cluster
from fabricgen.diff.configs import Configs
from fabricgen.diff.listing import COLUMNS, Column, Listing, Lists, make_column
from fabricgen.diff.matching import match_rows
from fabricgen.diff.texts import Texts
from fabricgen.numbering.lazy_columns import EncodedColumn
from fabricgen.numbering.names import index_default_names

NAME = "name"
"""A column of devices with the name that a device has on its own side; added if any device is renamed."""

_DEVICES = ("device", "a_device", "b_device")
_SAME = tuple(name for name in COLUMNS["devices"] if name != "device")

Renamed = Mapping[str, str]
"""Old name -> new name."""


def find_renamed_devices(old: Cluster, new: Cluster) -> Renamed:
    """Return old name -> new name of the devices of two blueprints with the same coordinates and another name.

    It is empty if everything that names follow from is equal on both sides.
    """
    if _list_name_sources(old) == _list_name_sources(new):
        return {}
    # the row of each device by its default name, which follows from coordinates alone
    old_rows, new_rows = (index_default_names(cluster.design, cluster.plan.devices) for cluster in (old, new))
    name_pairs = ((old.names[old_rows[name]], new.names[new_rows[name]]) for name in old_rows.keys() & new_rows.keys())
    return {old_name: new_name for old_name, new_name in name_pairs if old_name != new_name}


def _list_name_sources(cluster: Cluster) -> tuple[object, ...]:
    """Return everything that names follow from, besides coordinates."""
    blueprint = cluster.design.loaded.blueprint
    of_fabrics = {name: fabric.names for name, fabric in blueprint.fabrics.items() if fabric.names}
    return blueprint.name, blueprint.names, of_fabrics, cluster.design.layout.lock.find_words(ADOPTED)


def match_renamed_devices(old: Listing, new: Listing, known: Renamed) -> Renamed:
    """Return old name -> new name: the renamings that are `known`, and devices whose rows agree in all but the name.

    Rows that occur twice or have no rack, and devices of known renamings, are not compared.
    """
    old_only, new_only, _, _ = match_rows([(old["device"], new["device"])])
    old_names = _index_by_row(old.pick_rows(old_only), known)
    new_names = _index_by_row(new.pick_rows(new_only), frozenset(known.values()))
    return dict(known) | {old_names[row]: new_names[row] for row in old_names.keys() & new_names.keys()}


def _index_by_row(devices: Listing, excluded: Collection[str]) -> dict[tuple[str, ...], str]:
    """Return the names of devices by the cells of all other columns, without the names `excluded`.

    Devices whose cells are those of another device, or which have no rack, are left out.
    """
    rows = list(zip(*(devices[name].tolist() for name in _SAME), strict=True))
    row_counts, rack_column = Counter(rows), _SAME.index("rack")
    rows_and_names = zip(rows, devices["device"].tolist(), strict=True)
    return {
        row: name for row, name in rows_and_names if row_counts[row] == 1 and row[rack_column] and name not in excluded
    }


def apply_new_names(old: Lists, new: Lists, renamed: Renamed) -> tuple[Lists, Lists]:
    """Return (old, new) with the devices of the old side under their new names, also in links, cables and addresses.

    Devices of both sides get the column `NAME`, with the name on their own side. If no device is renamed, both sides
    are returned as they are. Labels stay as they are, since they are printed anew. A device that goes, and whose name
    another device takes, is called `NAME (before)`.
    """
    if not renamed:
        return old, new
    old_names = frozenset(old.devices["device"].tolist())
    displaced = {name: f"{name} (before)" for name in renamed.values() if name in old_names and name not in renamed}
    names = {**renamed, **displaced}
    old_devices = Listing({**_rename_devices(old.devices, names).columns, NAME: old.devices["device"]})
    new_devices = Listing({**new.devices.columns, NAME: new.devices["device"]})
    addresses = None if old.addresses is None else _rename_devices(old.addresses, names)
    links, cables = _rename_devices(old.links, names), _rename_devices(old.cables, names)
    patches = None if old.patches is None else _rename_devices(old.patches, names)
    renamed_old = replace(old, devices=old_devices, links=links, cables=cables, addresses=addresses, patches=patches)
    return renamed_old, replace(new, devices=new_devices)


def _rename_devices(listing: Listing, names: Renamed) -> Listing:
    """Return a list with new names of devices, and of cables, which are named after their device and connector."""

    def rename_device(text: str) -> str:
        return names.get(text, text)

    def rename_cable(text: str) -> str:
        owner, colon, connector = text.rpartition(":")
        return f"{rename_device(owner)}{colon}{connector}"

    columns: dict[str, Column] = dict(listing.columns)
    columns |= {name: _map_column(listing[name], rename_device, rename_device) for name in _DEVICES if name in columns}
    columns |= {"cable": _map_column(listing["cable"], rename_cable, rename_device)} if "cable" in columns else {}
    return Listing(columns)


def _map_column(column: Column, rename_text: Callable[[str], str], rename_head: Callable[[str], str]) -> Column:
    """Return a column with every text replaced by `rename_text`.

    If the texts are concatenated from several parts (`Texts`), `rename_head` replaces the first part, the device.
    """
    head = column.parts[0] if isinstance(column, Texts) else None
    if isinstance(column, Texts) and isinstance(head, EncodedColumn):
        rename = rename_head if len(column.parts) > 1 else rename_text
        # only the distinct texts are renamed; rows keep their codes
        vocabulary = make_column([rename(text) for text in head.vocabulary.tolist()])
        return Texts((EncodedColumn(vocabulary, head.codes), *column.parts[1:]))
    renamed: dict[Any, str] = {}
    texts = column[:].tolist()
    return make_column(
        [renamed[text] if text in renamed else renamed.setdefault(text, rename_text(text)) for text in texts]
    )


@dataclass(frozen=True)
class RenamedConfigs:
    """Configurations of the old side under the names that its devices have on the new one."""

    configs: Configs
    renamed: Renamed

    def devices(self) -> Collection[str]:
        """Return the new names of the devices that have a configuration."""
        return [self.renamed.get(name, name) for name in self.configs.devices()]

    def digests(self) -> Mapping[str, str] | None:
        """Return the sha256 of each file by its path under the new name; None if not known without rendering."""
        digests = self.configs.digests()
        return None if digests is None else {self._rename_path(path): digest for path, digest in digests.items()}

    def read(self, devices: Collection[str]) -> Iterable[tuple[str, bytes]]:
        """Return an iterator over (path, content) of the files of some devices, given by their new names."""
        old_names = {name for name in self.configs.devices() if self.renamed.get(name, name) in devices}
        return ((self._rename_path(path), content) for path, content in self.configs.read(old_names))

    def _rename_path(self, path: str) -> str:
        """Return the path of a configuration under the new name of its device."""
        top, device, *rest = path.split("/")
        file = "/".join(rest)
        name = self.renamed.get(device, device)
        # a file that is named after its device, such as DEVICE.cfg, is renamed with it
        return f"{top}/{name}/{name + file.removeprefix(device) if file.startswith(f'{device}.') else file}"
