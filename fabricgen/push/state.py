"""What NetBox holds of what a plan says, and what is to be done about the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabricgen.addons.netbox_objects.kinds import FLAGS, LEADS, MARKS, Kind
from fabricgen.push.client import KEPT, Id, NetBox, Record
from fabricgen.push.verdicts import DRIFT, STATUSES, Verdict, list_verdict_fields

Key = tuple[str, ...]
"""What tells an object from others of its kind: its cells in the columns `Kind.key`, as text."""
Row = Mapping[str, Any]
"""An object of the plan: a row of its kind."""

TAGS = "fabricgen-"
"""The beginning of the tags of pushes; the name of the blueprint follows."""
NUMBERS = ("speed", "position", "length")
"""Fields that are null if empty, whereas texts are ""."""
DEVICE = ("primary_ip4", "primary_ip6", "oob_ip")
"""Fields of devices that addresses are marked by."""
_ALWAYS = ["id", "display", "tags"]
_CABLE = ["type", "status", "label", "color", "length", "length_unit", "profile", "a_terminations", "b_terminations"]

TYPES = {
    "dcim/interfaces": "dcim.interface",
    "dcim/front-ports": "dcim.frontport",
    "dcim/rear-ports": "dcim.rearport",
    "dcim/power-ports": "dcim.powerport",
    "dcim/power-outlets": "dcim.poweroutlet",
    "dcim/power-feeds": "dcim.powerfeed",
}
"""The type of a cable's end, by the path of its kind."""

Side = tuple[tuple[str, Any], ...]
"""What a cable has at a side, as (type, id), in the order of its connectors; None for what is to be made."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Stands for the id of an object, given by path of the API and key; the object may have to be made first."""

    path: str
    key: Key


@dataclass(frozen=True, slots=True)
class NetboxChange:
    """One change of an object, which `kind` and `key` name: the `fields` to write, none if it is to be deleted.

    `number` is the id of the object, 0 for an object to be made. A change in `NetboxChanges.blocked` has 1 there if
    `--delete` takes away what is in its way, else 0. `difference` says in words what differs.
    """

    kind: Kind
    key: Key
    fields: Mapping[str, Any]
    number: Id = 0
    difference: str = ""


@dataclass
class NetboxChanges:
    """All changes, by what is to be done, and what is in the way of them."""

    make: list[NetboxChange] = field(default_factory=list)
    change: list[NetboxChange] = field(default_factory=list)
    unmarks: list[NetboxChange] = field(default_factory=list)
    """Devices to be reached at none for a while: NetBox moves no address that a device is reached at."""
    marks: list[NetboxChange] = field(default_factory=list)
    """Addresses that devices are reached at; after these are made."""
    delete: list[NetboxChange] = field(default_factory=list)
    blocked: list[NetboxChange] = field(default_factory=list)
    """Changes that something in NetBox is in the way of; their `number` is 1 if `--delete` takes that away, else 0."""
    kept_status: list[str] = field(default_factory=list)
    """Cables that a verdict gives another status than an operator has."""

    def list_tagged(self) -> Iterator[NetboxChange]:
        """Yield the changes that write tags."""
        return (change for change in (*self.make, *self.change, *self.blocked) if "tags" in change.fields)

    def differs(self, *, delete: bool) -> bool:
        """Whether NetBox differs from the plan; objects that are not planned count only if they are to be deleted."""
        return bool(self.make or self.change or self.marks or self.blocked or (delete and self.delete))


class NetboxState:
    """NetBox as it is, read kind by kind, compared with the plan and with `verdicts` on cables by their labels."""

    def __init__(self, netbox: NetBox, kinds: list[Kind], name: str, verdicts: Mapping[str, Verdict]) -> None:
        """`name` is that of the blueprint, as a slug."""
        self._netbox, self.kinds, self._verdicts = netbox, kinds, verdicts
        self.tag, self.drift = f"{TAGS}{name}", f"{DRIFT}{name}"
        self.ids: dict[str, dict[Key, Id]] = defaultdict(dict)
        """Ids by path and key: bonds are interfaces."""
        self._paths = {kind.name: kind.path for kind in kinds}
        self._read: dict[str, list[Record]] = {}
        self._sites: list[Id] = []

    def compare_all(self) -> NetboxChanges:
        """Return all changes; reads what it needs, and writes nothing."""
        differences, kept_ids = NetboxChanges(), defaultdict[str, set[Id]](set)
        for kind in self.kinds:
            records = self._read_records(kind)
            if kind.name == "cables":
                self._compare_cables(kind, records, differences, kept_ids[kind.path])
            else:
                self._compare_objects(kind, records, differences, kept_ids[kind.path])
            if kind.name == "sites":
                self._sites = sorted(self.ids[kind.path].values())
        self._compare_marks(differences)
        # from the last kind back: what refers to others is deleted before these. Of kinds with one path, as interfaces
        # and bonds, once, in the name of the first
        for path, kind in {kind.path: kind for kind in reversed(self.kinds)}.items():
            dropped = [
                record
                for record in self._read_records(kind)
                if self._is_ours(record) and record["id"] not in kept_ids[path]
            ]
            differences.delete += [
                NetboxChange(kind, self._name_record(record), {}, record["id"]) for record in dropped
            ]
        return differences

    def _is_ours(self, record: Record) -> bool:
        """Whether a record has the tag of the blueprint's pushes."""
        return any(tag["slug"] == self.tag for tag in record.get("tags", ()))

    def _find_other_push(self, record: Record) -> str:
        """Return the tag of another blueprint's push that made an object.

        It is "" if no push made it, and also if the object has the tag of this blueprint's pushes.
        """
        tags = [tag["slug"] for tag in record.get("tags", ())]
        return "" if self.tag in tags else next((tag for tag in tags if tag.startswith(TAGS)), "")

    def _read_records(self, kind: Kind) -> list[Record]:
        """Return all objects of a kind that NetBox has, at the sites of the plan if the kind has a site; read once."""
        if kind.path not in self._read:
            filters: dict[str, Any] = {}
            if kind.path.partition("/")[2] in self._netbox.IN_SITES:
                filters["site_id"] = self._sites
            filters["fields"] = ",".join(
                (_CABLE if kind.name == "cables" else self._list_fields_to_read(kind)) + _ALWAYS
            )
            needed = self._sites or "site_id" not in filters
            schema = kind.path if kind.name == "cables" else KEPT
            self._read[kind.path] = list(self._netbox.list_records(kind.path, schema, **filters)) if needed else []
        return self._read[kind.path]

    def _list_fields_to_read(self, kind: Kind) -> list[str]:
        """Return the names of the fields to read at the path of a kind, sorted: those that are compared for any kind of
        this path (bonds have the path of interfaces), and those by which devices and addresses are marked.
        """
        more = {"devices": DEVICE, "ip-addresses": ("assigned_object_type",)}.get(kind.path.partition("/")[2], ())
        fields_of_path = [
            name
            for other_kind in self.kinds
            if other_kind.path == kind.path
            for name in (*other_kind.plain, *other_kind.references)
        ]
        return sorted({*fields_of_path, *more} - {*MARKS})

    def _compare_objects(
        self, kind: Kind, records: list[Record], differences: NetboxChanges, kept_ids: set[Id]
    ) -> None:
        """Enter into `differences` what is to be made or changed of a kind, and what is blocked.

        `records` are the objects of the kind in NetBox. The ids of those that the plan has are added to `kept_ids`:
        they are not to be deleted. Notes them in `ids`, too, for objects of later kinds that refer to them.
        """
        by_key = {_match_key(kind, (spell_value(record.get(name)) for name in kind.key)): record for record in records}
        for row in kind.rows():
            key = tuple(str(row[name]) for name in kind.key)
            fields = dict(self._list_fields(kind, row))
            key_texts = (self._spell_resolved(fields[name]) if name in fields else str(row[name]) for name in kind.key)
            record = by_key.get(_match_key(kind, key_texts))
            if record is None:
                differences.make.append(NetboxChange(kind, key, fields))
                continue
            self.ids[kind.path][key] = record["id"]
            kept_ids.add(record["id"])
            differing = {
                name: value
                for name, value in fields.items()
                if name not in kind.once and not is_alike(record.get(name), self._resolve_ids(value))
            }
            if differing:
                text = ", ".join(
                    f"{n} {self._show_value(record.get(n))} -> {self._show_value(v)}" for n, v in differing.items()
                )
                other_push = self._find_other_push(record)
                # an address that is at another interface, and that no push of this blueprint made
                is_taken = (
                    record.get("assigned_object_id") and "assigned_object_id" in differing and not self._is_ours(record)
                )
                if other_push or is_taken:
                    text = (
                        f"has the tag {other_push}, of another push"
                        if other_push
                        else "is of another interface, not by a push"
                    )
                    differences.blocked.append(NetboxChange(kind, key, differing, 0, text))
                else:
                    differences.change.append(NetboxChange(kind, key, differing, record["id"], text))

    def _spell_resolved(self, value: Any) -> str:
        return spell_value(self._resolve_ids(value))

    def _resolve_ids(self, value: Any) -> Any:
        """Return a value with the ids of objects that exist in place of references."""
        if isinstance(value, list):
            return [{name: self._resolve_ids(inside) for name, inside in entry.items()} for entry in value]
        return self.ids[value.path].get(value.key, value) if isinstance(value, Reference) else value

    def _list_fields(self, kind: Kind, row: Row) -> Iterator[tuple[str, Any]]:
        """Yield (name, value) of the fields of the REST API that a row has."""
        for name in kind.plain:
            if name not in MARKS:
                value = row[name]
                if name == LEADS:
                    yield name, [_describe_position(*position) for position in value]
                else:
                    yield name, FLAGS.get(value, None if value == "" and name in NUMBERS else value)
        for name, (target, columns) in kind.references.items():
            key = tuple(str(row[column]) for column in columns)
            yield name, Reference(self._paths[target], key) if key[-1] else None
            if name == "assigned_object_id":
                yield "assigned_object_type", "dcim.interface" if key[-1] else None

    def _compare_cables(self, kind: Kind, records: list[Record], differences: NetboxChanges, kept_ids: set[Id]) -> None:
        """Enter into `differences` what is to be done with cables; ids of cables that the plan has are added to
        `kept_ids`.

        A cable is known by the ports that it joins; another cable at one of these ports blocks it.
        """
        sides = {record["id"]: (_list_end_ids(record, "a"), _list_end_ids(record, "b")) for record in records}
        cable_at = {end: record for record in records for side in sides[record["id"]] for end in side}
        for row, (joins, planned) in self._list_planned_cables(kind, cable_at, sides):
            cables_here = {
                record["id"]: record for side in planned for end in side if (record := cable_at.get(end)) is not None
            }
            key = tuple(text for side in joins for reference in side for text in reference.key)
            plain = {name: row[name] for name in _CABLE if name in row and name != "status"}
            # NetBox takes no profile away again: its API wants one, or none at all
            if not plain.get("profile", ""):
                plain.pop("profile", None)
            fields_of_cable = {n: None if v == "" and n in NUMBERS else v for n, v in plain.items()}
            verdict = self._verdicts.get(str(row["label"]))
            record = next(iter(cables_here.values()), None)
            if record is not None and sides[record["id"]] in (planned, planned[::-1]):
                kept_ids.add(record["id"])
                self._compare_cable(NetboxChange(kind, key, fields_of_cable), record, verdict, differences)
                continue
            new = {"status": row["status"], "tags": []}
            judged, _ = self._judge_cable(verdict, new)
            fields = {**fields_of_cable, **new, **judged, "a": joins[0], "b": joins[1]}
            if record is None:
                differences.make.append(NetboxChange(kind, key, fields))
                continue
            are_ours = all(map(self._is_ours, cables_here.values()))
            why = f"cable {record.get('display', record['id'])} is there" + (
                ": --delete takes it away" if are_ours else ", and fabricgen did not make it"
            )
            differences.blocked.append(NetboxChange(kind, key, fields, int(are_ours), why))

    def _list_planned_cables(
        self, kind: Kind, cable_at: Mapping[tuple[str, Any], Record], sides: Mapping[Id, tuple[Side, Side]]
    ) -> Iterator[tuple[Row, tuple[tuple[Sequence[Reference], Sequence[Reference]], tuple[Side, Side]]]]:
        """Yield (row, (joins, ends)) of each planned cable: its row, the ports that it joins as references, and the
        same as (type, id); of both (at the a side, at the b side).

        A push to an older release, or an import of files, may have made a cable of several links as one cable for each
        link. If NetBox has a planned cable so, it is yielded link by link, and its rows have no profile.
        """
        for row, joins in zip(kind.rows(), kind.joins, strict=True):
            references = [[Reference(self._paths[name], key) for name, key in side] for side in joins]
            pairs = list(zip(*references, strict=False))
            parts = [([a], [b]) for a, b in pairs]
            planned = [self._find_sides(part) for part in parts]
            is_split = len(pairs) > 1 and all(
                (here := cable_at.get(a[0])) is not None and sides[here["id"]] in ((a, b), (b, a)) for a, b in planned
            )
            if is_split:
                without = {name: value for name, value in row.items() if name != "profile"}
                yield from ((without, pair) for pair in zip(parts, planned, strict=True))
            else:
                whole = (references[0], references[1])
                yield row, (whole, self._find_sides(whole))

    def _find_sides(self, joins: tuple[Sequence[Reference], Sequence[Reference]]) -> tuple[Side, Side]:
        """Return (type, id) of what a cable joins at either side; the id is None for an object to be made."""
        a, b = (
            tuple((TYPES[reference.path], self.ids[reference.path].get(reference.key)) for reference in side)
            for side in joins
        )
        return a, b

    def _compare_cable(
        self, planned: NetboxChange, record: Record, verdict: Verdict | None, differences: NetboxChanges
    ) -> None:
        """Enter into `differences` what is to be changed of a cable that is where it should be."""
        differing = {
            name: value
            for name, value in planned.fields.items()
            if name not in planned.kind.once and not is_alike(record.get(name), value)
        }
        judged, words = self._judge_cable(verdict, record)
        status = spell_value(record.get("status"))
        if verdict and verdict.status and status not in STATUSES:
            differences.kept_status.append(f"{' '.join(planned.key)}: {status}")
        if differing or judged:
            text = ", ".join([*self._list_differences(record, differing), *words])
            differences.change.append(NetboxChange(planned.kind, planned.key, differing | judged, record["id"], text))

    def _judge_cable(self, verdict: Verdict | None, record: Record) -> tuple[dict[str, Any], list[str]]:
        """Return ({field: new value}, words) for the fields of a cable that a verdict changes; both empty without a
        verdict.
        """
        changes = list(list_verdict_fields(verdict, self.drift, record)) if verdict else []
        return {name: value for name, value, _ in changes}, [words for _, _, words in changes]

    def _compare_marks(self, differences: NetboxChanges) -> None:
        """Enter into `differences` the primary and out-of-band addresses of devices, which are fields of devices."""
        devices = next(kind for kind in self.kinds if kind.name == "devices")
        device_records = {record["id"]: record for record in self._read_records(devices)}
        # NetBox moves no address that a device is reached at: the mark is taken away first
        moved = {change.number for change in differences.change if "assigned_object_id" in change.fields}
        for number, record in device_records.items():
            names = [name for name in DEVICE if record.get(name) and record[name]["id"] in moved]
            if names:
                differences.unmarks.append(NetboxChange(devices, (record["display"],), dict.fromkeys(names), number))
        unmarked = {(change.number, name) for change in differences.unmarks for name in change.fields}
        for kind in self.kinds:
            mark = next((name for name in MARKS if name in kind.columns), "")
            for row in kind.rows() if mark else ():
                target, columns = kind.marked or (kind.name, kind.key)
                reference = Reference(self._paths[target], tuple(str(row[name]) for name in columns))
                planned = reference.key[-1]
                name = "oob_ip" if mark == "is_oob" else f"primary_ip{6 if ':' in planned else 4}"
                device = self.ids["dcim/devices"].get((str(row["device"]),), 0)
                address = device_records.get(device, {}).get(name)
                if self._find_other_push(device_records.get(device, {})):
                    continue
                if (device, name) in unmarked or not is_alike(address, self._resolve_ids(reference)):
                    key = (str(row["device"]),)
                    text = f"{name} {self._show_value(address)} -> {planned}"
                    differences.marks.append(NetboxChange(devices, key, {name: reference}, device, text))

    def _name_record(self, record: Record) -> Key:
        """Return what an object of NetBox is called, after its device if it is in one."""
        device = self._netbox.name_object(record["device"]) if record.get("device") else ""
        return tuple(filter(None, (device, str(record.get("display", record["id"])))))

    def _list_differences(self, record: Record, planned: Mapping[str, Any]) -> list[str]:
        """Return a text, `NAME current -> planned`, for each of the fields in `planned`: those of an object that are to
        change.
        """
        return [f"{name} {self._show_value(record.get(name))} -> {self._show_value(planned[name])}" for name in planned]

    def _show_value(self, value: Any) -> str:
        """Return a value as people read it: what a reference names, and - for nothing."""
        if isinstance(value, Reference):
            return " ".join(value.key)
        if isinstance(value, list):
            return ", ".join(" ".join(self._show_value(inside) for inside in entry.values()) for entry in value)
        if isinstance(value, Mapping):
            return self._netbox.name_object(value)
        return "-" if value in (None, "") else spell_value(value)


def _match_key(kind: Kind, key: Iterable[str]) -> Key:
    """Return the key of an object in the form in which keys of its kind are compared: in small letters if NetBox takes
    capitals and small letters of such names as equal (`any_case`).
    """
    return tuple(text.lower() if kind.any_case else text for text in key)


def _describe_position(position: int, key: Key, rear_position: int) -> dict[str, Any]:
    """Return what the API calls a mapping of a front port: its position, and the rear port and position that it leads
    to.

    `key` is the key of the rear port.
    """
    return {
        "position": position,
        "rear_port": Reference("dcim/rear-ports", key),
        "rear_port_position": rear_position,
    }


def _list_end_ids(record: Record, side: str) -> Side:
    """Return (type, id) of what a record of a cable joins at a side."""
    return tuple((end["object_type"], end["object_id"]) for end in record[f"{side}_terminations"])


def spell_value(value: Any) -> str:
    """Return as text a value from a NetBox answer: the id of another object, the value of a choice, "" for None.

    For a list of objects, it is the text of all fields of each, sorted: `1 2; 3 4` for [{"a": 3, "b": 4},
    {"a": 1, "b": 2}].
    """
    if isinstance(value, list):
        return "; ".join(
            sorted(" ".join(map(spell_value, entry.values())) for entry in value if isinstance(entry, dict))
        )
    if isinstance(value, Mapping):
        return spell_value(value.get("id", value.get("value")))
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def is_alike(current: Any, planned: Any) -> bool:
    """Whether a field of NetBox has the planned value."""
    return spell_value(current) == spell_value(planned)
