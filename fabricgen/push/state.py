"""What NetBox holds of what a plan says, and what is to be done about the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabricgen.export.netbox.kinds import Kind
from fabricgen.push.client import KEPT, NetBox, Record

Key = tuple[str, ...]
Row = Mapping[str, Any]

TAGS = "fabricgen-"
"""How the tags of pushes begin; the name of the blueprint follows."""
IN_SITES = ("locations", "racks", "devices", "interfaces", "module-bays", "modules", "cables")
"""Kinds of which only those in the sites of the plan are read."""
NUMBERS = ("speed", "position", "length")
"""Fields that have null for nothing, where texts have ""."""
DEVICE = ("primary_ip4", "primary_ip6", "oob_ip")
"""Fields of devices that addresses are marked by."""
_ALWAYS = ["id", "display", "tags"]
_CABLE = ["type", "label", "color", "length", "length_unit", "a_terminations", "b_terminations"]
MARKS = ("is_primary", "is_oob")
"""Columns that are no fields of their object but of its device."""
FLAGS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The id of an object that may have to be made first."""

    path: str
    key: Key


@dataclass(frozen=True, slots=True)
class Change:
    """One thing to do: `fields` to write, of a new object where `number` is 0; none where it is to be deleted."""

    kind: Kind
    key: Key
    fields: Mapping[str, Any]
    number: int = 0
    told: str = ""


@dataclass
class Changes:
    """All that is to be done, by kind, and what is in the way of it."""

    make: list[Change] = field(default_factory=list)
    change: list[Change] = field(default_factory=list)
    unmarks: list[Change] = field(default_factory=list)
    """Devices to be reached at none for a while: NetBox moves no address that a device is reached at."""
    marks: list[Change] = field(default_factory=list)
    """Addresses that devices are reached at; after these are made."""
    delete: list[Change] = field(default_factory=list)
    blocked: list[Change] = field(default_factory=list)

    def differs(self, *, delete: bool) -> bool:
        """Whether NetBox differs from the plan; what is there beside it counts where it is to be deleted."""
        return bool(self.make or self.change or self.marks or self.blocked or (delete and self.delete))


class State:
    """NetBox as it is, read kind by kind, compared with the plan."""

    def __init__(self, netbox: NetBox, kinds: list[Kind], tag: str) -> None:
        self._netbox, self.kinds, self.tag = netbox, kinds, tag
        self.ids: dict[str, dict[Key, int]] = defaultdict(dict)
        """Ids by path and key: bonds are interfaces."""
        self._paths = {kind.name: kind.path for kind in kinds}
        self._read: dict[str, list[Record]] = {}
        self._sites: list[int] = []

    def changes(self) -> Changes:
        """Compare everything; reads all that it needs, and writes nothing."""
        found, kept = Changes(), defaultdict[str, set[int]](set)
        for kind in self.kinds:
            records = self._records(kind)
            if kind.name == "cables":
                self._cables(kind, records, found, kept[kind.path])
            else:
                self._objects(kind, records, found, kept[kind.path])
            if kind.name == "sites":
                self._sites = sorted(self.ids["dcim/sites"].values())
        self._marks(found)
        for path, kind in {kind.path: kind for kind in reversed(self.kinds)}.items():
            gone = [each for each in self._records(kind) if self._ours(each) and each["id"] not in kept[path]]
            found.delete += [Change(kind, _called(each), {}, each["id"]) for each in gone]
        return found

    def _ours(self, record: Record) -> bool:
        return any(tag["slug"] == self.tag for tag in record.get("tags", ()))

    def _of_another_push(self, record: Record) -> str:
        """The tag of the push of another blueprint that made an object; "" where none did, or this one did too."""
        tags = [tag["slug"] for tag in record.get("tags", ())]
        return "" if self.tag in tags else next((tag for tag in tags if tag.startswith(TAGS)), "")

    def _records(self, kind: Kind) -> list[Record]:
        if kind.path not in self._read:
            filters: dict[str, Any] = {}
            if kind.path.partition("/")[2] in IN_SITES:
                filters["site_id"] = self._sites
            filters["fields"] = ",".join((_CABLE if kind.name == "cables" else self._read_of(kind)) + _ALWAYS)
            read = self._sites or "site_id" not in filters
            shape = kind.path if kind.name == "cables" else KEPT
            self._read[kind.path] = list(self._netbox.records(kind.path, shape, **filters)) if read else []
        return self._read[kind.path]

    def _read_of(self, kind: Kind) -> list[str]:
        more = {"devices": DEVICE, "ip-addresses": ("assigned_object_type",)}.get(kind.path.partition("/")[2], ())
        of_path = [name for each in self.kinds if each.path == kind.path for name in (*each.plain, *each.references)]
        return sorted({*of_path, *more} - {*MARKS})

    def _objects(self, kind: Kind, records: list[Record], found: Changes, kept: set[int]) -> None:
        held = {_known(kind, (plain(record.get(name)) for name in kind.key)): record for record in records}
        for row in rows(kind):
            key = tuple(str(row[name]) for name in kind.key)
            fields = dict(self._fields(kind, row))
            own = (self._own(fields[name]) if name in fields else str(row[name]) for name in kind.key)
            there = held.get(_known(kind, own))
            if there is None:
                found.make.append(Change(kind, key, fields))
                continue
            self.ids[kind.path][key] = there["id"]
            kept.add(there["id"])
            differing = {
                name: value
                for name, value in fields.items()
                if name not in kind.once and not alike(there.get(name), self._resolved(value))
            }
            if differing:
                told = ", ".join(f"{n} {_shown(there.get(n))} -> {_shown(v)}" for n, v in differing.items())
                other = self._of_another_push(there)
                taken = there.get("assigned_object_id") and "assigned_object_id" in differing and not self._ours(there)
                if other or taken:
                    told = (
                        f"has the tag {other}, of another push" if other else "is of another interface, not by a push"
                    )
                    found.blocked.append(Change(kind, key, differing, 0, told))
                else:
                    found.change.append(Change(kind, key, differing, there["id"], told))

    def _own(self, value: Any) -> str:
        return plain(self._resolved(value))

    def _resolved(self, value: Any) -> Any:
        """An id where the object is there, None for what is to be made."""
        return self.ids[value.path].get(value.key, value) if isinstance(value, Wanted) else value

    def _fields(self, kind: Kind, row: Row) -> Iterator[tuple[str, Any]]:
        """The fields of the REST API that a row has."""
        for name in kind.plain:
            if name not in MARKS:
                value = row[name]
                yield name, FLAGS.get(value, None if value == "" and name in NUMBERS else value)
        for name, (target, columns) in kind.references.items():
            key = tuple(str(row[column]) for column in columns)
            yield name, Wanted(self._paths[target], key) if key[-1] else None
            if name == "assigned_object_id":
                yield "assigned_object_type", "dcim.interface" if key[-1] else None

    def _cables(self, kind: Kind, records: list[Record], found: Changes, kept: set[int]) -> None:
        """A cable is known by the two ports that it joins; one of others at either is in the way."""
        at: dict[int, Record] = {}
        ends = {record["id"]: _ends(record) for record in records}
        at = {end: record for record in records for end in ends[record["id"]]}
        for row in rows(kind):
            a, b = (("dcim/interfaces", (str(row[f"side_{s}_device"]), str(row[f"side_{s}_name"]))) for s in "ab")
            ids = [self.ids[name].get(key) for name, key in (a, b)]
            here = [at[number] for number in ids if number in at]
            key, own = (*a[1], *b[1]), {n: row[n] for n in ("type", "label", "color", "length", "length_unit")}
            if not here:
                fields = {**own, "status": row["status"], "a": Wanted(*a), "b": Wanted(*b)}
                found.make.append(Change(kind, key, fields))
                continue
            if ends[here[0]["id"]] == set(ids):
                kept.add(here[0]["id"])
                differing = {n: v for n, v in own.items() if n not in kind.once and not alike(here[0].get(n), v)}
                told = ", ".join(f"{n} {_shown(here[0].get(n))} -> {_shown(v)}" for n, v in differing.items())
                if differing:
                    found.change.append(Change(kind, key, differing, here[0]["id"], told))
                continue
            why = f"cable {here[0].get('display', here[0]['id'])} is there" + (
                ": --delete takes it away" if all(map(self._ours, here)) else ", and fabricgen did not make it"
            )
            fields = {**own, "status": row["status"], "a": Wanted(*a), "b": Wanted(*b)}
            found.blocked.append(Change(kind, key, fields, int(all(map(self._ours, here))), why))

    def _marks(self, found: Changes) -> None:
        """Primary and out-of-band addresses, which are fields of devices."""
        devices = next(kind for kind in self.kinds if kind.name == "devices")
        held = {record["id"]: record for record in self._records(devices)}
        moved = {each.number for each in found.change if "assigned_object_id" in each.fields}
        for number, record in held.items():
            names = [name for name in DEVICE if record.get(name) and record[name]["id"] in moved]
            if names:
                found.unmarks.append(Change(devices, (record["display"],), dict.fromkeys(names), number))
        unmarked = {(each.number, name) for each in found.unmarks for name in each.fields}
        for kind in self.kinds:
            mark = next((name for name in MARKS if name in kind.table.columns), "")
            for row in rows(kind) if mark else ():
                name = "oob_ip" if mark == "is_oob" else f"primary_ip{6 if ':' in row['address'] else 4}"
                device = self.ids["dcim/devices"].get((str(row["device"]),), 0)
                there = held.get(device, {}).get(name)
                wanted = Wanted(kind.path, tuple(str(row[name]) for name in kind.key))
                if self._of_another_push(held.get(device, {})):
                    continue
                if (device, name) in unmarked or not alike(there, self._resolved(wanted)):
                    key = (str(row["device"]),)
                    told = f"{name} {there['display'] if there else '-'} -> {row['address']}"
                    found.marks.append(Change(devices, key, {name: wanted}, device, told))


def _known(kind: Kind, key: Iterable[str]) -> Key:
    """What NetBox tells objects of a kind apart by."""
    return tuple(text.lower() if kind.any_case else text for text in key)


def rows(kind: Kind) -> Iterator[Row]:
    """The rows of a kind by column."""
    names = tuple(kind.table.columns)
    return (dict(zip(names, row, strict=True)) for row in kind.table.rows())


def _called(record: Record) -> Key:
    """What an object of NetBox is called, after its device if it is in one."""
    names = (record["device"]["display"] if record.get("device") else "", str(record.get("display", record["id"])))
    return tuple(filter(None, names))


def _ends(record: Record) -> set[int]:
    return {
        end["object_id"]
        for side in ("a_terminations", "b_terminations")
        for end in record[side]
        if end["object_type"] == "dcim.interface"
    }


def plain(value: Any) -> str:
    """A value as NetBox answers it, as text: of a choice its value, of another object its id, "" for none."""
    if isinstance(value, Mapping):
        return plain(value.get("id", value.get("value")))
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def alike(there: Any, wanted: Any) -> bool:
    """Whether a field of NetBox has the value that is wanted."""
    return plain(there) == plain(wanted)


def _shown(value: Any) -> str:
    if isinstance(value, Wanted):
        return " ".join(value.key)
    if isinstance(value, Mapping):
        return str(value.get("display", value.get("value")))
    return "-" if value in (None, "") else plain(value)
