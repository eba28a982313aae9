"""Nautobot's REST API as NetBox's: records are read in the form of NetBox's, and written in that of Nautobot's.

Source: nautobot v3.2.7, nautobot/core/api and nautobot/dcim/api/serializers.py. What differs from NetBox: ids are
UUIDs, statuses and tags are objects, a cable has one port at each end, and addresses and ports are joined by objects of
their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from fabricgen.addons.nautobot import TAGGED, write_body
from fabricgen.push.client import Id, NetBox, Record

_CONTEXT = "local_config_context_data"
_TAGGED = {f"dcim/{name}" for name in ("locations", "racks", "device-types", "devices", "interfaces", "cables")} | {
    f"ipam/{name}" for name in ("vlans", "prefixes", "ip-addresses")
}
"""Paths of the kinds that have tags."""


class Nautobot(NetBox):
    """The API of a Nautobot at a URL, used as NetBox's."""

    TITLE = "Nautobot"
    IN_SITES = ("rack-groups", "racks", "devices", "interfaces", "cables")
    ORDER: Mapping[str, str] = {"sort": "id"}
    KEPT = "nautobot"
    PAGE = 200
    """Nautobot looks the far end of each port up by itself: a busy one took 80 ms a port."""

    def __init__(self, url: str, token: str) -> None:
        super().__init__(url, token)
        self._names: dict[str, dict[Id, str]] = {}
        self._displays: dict[Id, str] = {}
        self._contexts: dict[Id, dict[str, Any]] = {}
        self._address_tags: dict[Id, list[dict[str, str]]] = {}

    def list_records(self, path: str, kind: str = KEPT, **filters: Any) -> Iterator[Record]:  # noqa: ARG002 - one of all
        """Yield all records of a path that pass NetBox's filters, in the form of NetBox's records."""
        passed: dict[str, Any] = {"name": filters["slug"]} if "slug" in filters else {}
        if "site_id" in filters:
            passed["location_id" if path == "dcim/cables" else "location"] = filters["site_id"]
        for record in super().list_records(path, self.KEPT, **passed):
            self._displays[record["id"]] = record["display"]
            yield self._put_as_netbox(path, record)

    def _put_as_netbox(self, path: str, record: Record) -> Record:
        """Return a record in the form of NetBox's: statuses and tags by name, ends of cables as lists.

        Of a configuration context only the AS number is kept, as JSON text, "" without one: that is all that a push
        writes.
        """
        put = dict(record)
        if record.get("status"):
            name = self._find_names("extras/statuses").get(record["status"]["id"], "")
            put["status"] = {"value": name.lower(), "display": name}
        if "tags" in record:
            names = self._find_names("extras/tags")
            put["tags"] = [{"slug": names[tag["id"]]} for tag in record["tags"] if tag["id"] in names]
        if path == "dcim/cables":
            for end in "ab":
                number, form = record[f"termination_{end}_id"], record[f"termination_{end}_type"]
                put[f"{end}_terminations"] = [{"object_type": form, "object_id": number}] if number else []
        if _CONTEXT in record:
            context = self._contexts[record["id"]] = record[_CONTEXT] or {}
            number = context["bgp"].get("asn") if isinstance(context.get("bgp"), dict) else None
            put[_CONTEXT] = json.dumps({"bgp": {"asn": number}}) if number else ""
        if path == "ipam/ip-addresses":
            self._address_tags[record["id"]] = put.get("tags", [])
        if path == "ipam/ip-address-to-interface" and record.get("ip_address"):
            # where an address is goes with the address
            put["tags"] = self._address_tags.get(record["ip_address"]["id"], [])
        return put

    def name_object(self, value: Mapping[str, Any]) -> str:
        """Return what people call an object that a record refers to, if it was read before; else its id, as Nautobot's
        records tell nothing else of it (depth 0 of its API).
        """
        return self._displays.get(value["id"], value["id"]) if "id" in value else super().name_object(value)

    def _answer_little(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:  # noqa: ARG002 - as NetBox's
        return {}

    def _find_names(self, path: str) -> dict[Id, str]:
        """Return the name of every status or tag by its id; read once."""
        if path not in self._names:
            self._names[path] = {record["id"]: record["name"] for record in super().list_records(path, self.KEPT)}
        return self._names[path]

    def create_records(self, path: str, rows: Sequence[Mapping[str, Any]]) -> list[Record]:
        """Make records, all or none, from fields as NetBox has them; return them in the order of `rows`."""
        bodies = [write_body(row) for row in rows]
        for body in bodies:
            if path == "extras/tags":
                body |= {"name": body.pop("slug"), "content_types": TAGGED.split()}
            elif path not in _TAGGED:
                body.pop("tags", None)
        self._names.pop(path, None)
        records = super().create_records(path, bodies)
        # the serializer of cables makes them without their tags (v3.2.7: dcim/api/serializers.py, CableSerializer)
        untagged = [
            {"id": record["id"], "tags": body["tags"]}
            for record, body in zip(records, bodies, strict=True)
            if body.get("tags") and not record.get("tags")
        ]
        if untagged:
            super().change_records(path, untagged)
        return records

    def change_records(self, path: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Change records by `id`, all or none; what else a configuration context has stays."""
        bodies = [write_body(row) for row in rows]
        for body in bodies:
            if _CONTEXT in body:
                body[_CONTEXT] = _merge(self._contexts.get(body["id"], {}), body[_CONTEXT]) or None
        super().change_records(path, bodies)


def _merge(context: Mapping[str, Any], planned: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a configuration context in which the AS number is that of `planned`, or is left out if `planned` has none.

    All else in the context stays; `bgp` goes if nothing is left in it.
    """
    merged = deepcopy(dict(context))
    bgp = merged["bgp"] if isinstance(merged.get("bgp"), dict) else {}
    others = {name: value for name, value in bgp.items() if name != "asn"}
    merged["bgp"] = others | (planned or {}).get("bgp", {})
    return {name: value for name, value in merged.items() if name != "bgp" or value}
