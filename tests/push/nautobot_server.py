"""A Nautobot to push to: what it takes, refuses and answers follows the source of Nautobot 3.2.7.

That is: ids are UUIDs, which a request to make may name; objects referred to are written as ids or by fields that
tell them apart, and read as {id, object_type, url}; a filter that a kind has not is 400; a list is written whole or
not at all; an address needs a prefix around it; what has no tags takes none; a cable is made without its tags, and
takes them when it is changed.
"""

from __future__ import annotations

import ipaddress
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from tests.push.netbox_server import FakeNetBox

FILTERS = {
    "extras/tags": {"name"},
    "dcim/rack-groups": {"location"},
    "dcim/racks": {"location"},
    "dcim/devices": {"location"},
    "dcim/interfaces": {"location"},
    "dcim/cables": {"location_id"},
}
REFERENCES = {
    "location": "dcim/locations",
    "location_type": "dcim/location-types",
    "rack_group": "dcim/rack-groups",
    "rack": "dcim/racks",
    "manufacturer": "dcim/manufacturers",
    "device_type": "dcim/device-types",
    "role": "extras/roles",
    "platform": "dcim/platforms",
    "device": "dcim/devices",
    "lag": "dcim/interfaces",
    "interface": "dcim/interfaces",
    "ip_address": "ipam/ip-addresses",
    "primary_ip4": "ipam/ip-addresses",
    "primary_ip6": "ipam/ip-addresses",
    "status": "extras/statuses",
    "namespace": "ipam/namespaces",
}
CHOICES = {"face", "type", "length_unit"}
UNTAGGED = {
    "dcim/location-types",
    "dcim/rack-groups",
    "dcim/manufacturers",
    "dcim/platforms",
    "extras/roles",
    "extras/tags",
    "extras/statuses",
    "ipam/namespaces",
    "ipam/ip-address-to-interface",
}
WRITE_ONLY = {"namespace"}
UNIQUE = {
    "dcim/interfaces": ("device", "name"),
    "dcim/devices": ("location", "name"),
    "dcim/locations": ("name",),
    "ipam/prefixes": ("prefix",),
    "ipam/ip-addresses": ("address",),
    "ipam/ip-address-to-interface": ("interface", "ip_address"),
}


class FakeNautobot(FakeNetBox):
    """Objects by path and id."""

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[str, dict[Any, dict[str, Any]]] = self.held  # ids are texts
        for path, names in (("extras/statuses", ("Active", "Planned", "Connected")), ("ipam/namespaces", ("Global",))):
            for name in names:
                number = self._number(path, name)
                self.held[path][number] = {"id": number, "name": name}

    @staticmethod
    def _number(*parts: Any) -> str:
        return str(uuid5(NAMESPACE_URL, " ".join(map(str, parts))))

    def make(self, path: str, rows: list[dict[str, Any]]) -> tuple[int, Any]:
        """Make objects, all or none."""
        made = [self._take(path, row) for row in rows]
        errors = [self._error(path, row) for row in made]
        if any(errors):
            return 400, errors
        for row in made:
            row.setdefault("id", self._number(path, len(self.held[path]), len(self.writes)))
            if path == "dcim/cables":
                row.pop("tags", None)
            self.held[path][row["id"]] = row
        return 201, [self.shown(path, row) for row in made]

    def _take(self, path: str, row: dict[str, Any]) -> dict[str, Any]:
        """What is written, with what it refers to as ids."""
        taken = dict(row)
        for name, value in row.items():
            if name in REFERENCES and isinstance(value, dict):
                others = self.held[REFERENCES[name]].values()
                taken[name] = next((each["id"] for each in others if each.items() >= value.items()), value)
        if "tags" in row:
            assert path not in UNTAGGED
            ids = {each["name"]: each["id"] for each in self.held["extras/tags"].values()}
            taken["tags"] = [ids[tag["name"]] for tag in row["tags"]]
        return taken

    def _error(self, path: str, row: dict[str, Any]) -> dict[str, list[str]]:
        for name, value in row.items():
            if value and name in REFERENCES and (isinstance(value, dict) or value not in self.held[REFERENCES[name]]):
                return {name: [f"Related object not found using the provided attributes: {value}"]}
        others = self.held[path].values()
        if names := UNIQUE.get(path):
            for each in others:
                if all(each.get(name) == row.get(name) for name in names):
                    return {"__all__": [f"{path} with this {' and '.join(names)} already exists."]}
        if path == "dcim/cables" and (taken := self.ends(row) & {end for each in others for end in self.ends(each)}):
            return {"__all__": [f"{min(taken)} already has a cable attached"]}
        if path == "ipam/ip-addresses":
            host = ipaddress.ip_interface(row["address"]).ip
            prefixes = (ipaddress.ip_network(each["prefix"]) for each in self.held["ipam/prefixes"].values())
            if not any(host in prefix for prefix in prefixes):
                return {"namespace": [f"No suitable parent Prefix for {host} exists in Namespace Global"]}
        return {}

    @staticmethod
    def ends(cable: dict[str, Any]) -> set[Any]:
        """The interfaces that a cable joins."""
        return {cable["termination_a_id"], cable["termination_b_id"]}

    def shown(self, path: str, row: dict[str, Any]) -> dict[str, Any]:
        """An object as it is read."""
        found: dict[str, Any] = {"display": str(row.get("name") or row.get("label") or row.get("address") or row["id"])}
        for name, value in row.items():
            if name in WRITE_ONLY:
                continue
            if name in REFERENCES:
                found[name] = {"id": value, "object_type": "", "url": ""} if value else None
            elif name in CHOICES and path not in ("dcim/cables",):
                found[name] = {"value": value, "label": str(value).title()} if value else None
            else:
                found[name] = value
        if path not in UNTAGGED:
            found["tags"] = [{"id": number, "object_type": "extras.tag", "url": ""} for number in row.get("tags", ())]
        return found

    def answer(self, method: str, path: str, body: Any, query: dict[str, list[str]]) -> tuple[int, Any]:
        """The status and content of an answer."""
        if path == "status":
            return 200, {"nautobot-version": "3.2.7"}
        if method == "GET":
            unknown = query.keys() - {"limit", "offset", "sort"} - FILTERS.get(path, set())
            if unknown:
                return 400, {name: ["Unknown filter field"] for name in unknown}
            rows = [row for row in self.held[path].values() if row.get("name") in query.get("name", [row.get("name")])]
            shown = sorted((self.shown(path, row) for row in rows), key=lambda row: row["id"])
            offset, limit = int(query["offset"][0]), min(int(query["limit"][0]), 50)
            return 200, {"count": len(shown), "next": None, "previous": None, "results": shown[offset : offset + limit]}
        if method == "PATCH":
            self.writes.append((method, path, body))
            for row in body:
                self.held[path][row["id"]] |= self._take(path, row)
            return 200, [self.shown(path, self.held[path][row["id"]]) for row in body]
        if method == "DELETE":
            self.writes.append((method, path, body))
            for row in body:
                del self.held[path][row["id"]]
            return 204, None
        return super().answer(method, path, body, query)
