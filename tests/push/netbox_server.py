"""A NetBox to push to: what it takes, refuses and answers follows recorded answers of NetBox 4.4.10.

Recorded are: lists are written whole or not at all, and a refused one is answered by a list of its errors (400) in the
order of the request; choices are written as texts and read as {value, label}, other objects as ids and as {id, ...}; a
cable's type stays a text; a port has one cable; a wrong token is 403; deleting what is referred to is 409.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "0123456789abcdef0123456789abcdef01234567"
KEY, SECRET = "Kk0123456789", "Tt0123456789abcdefghij0123456789ABCDEFGH"
TOKEN_OF_V2 = f"nbt_{KEY}.{SECRET}"
"""A token of NetBox 4.5 and later: the key that it is found by, and what is checked."""

REFERENCES = (
    {
        name: f"dcim/{path}"
        for name, path in {
            "site": "sites",
            "location": "locations",
            "manufacturer": "manufacturers",
            "rack_type": "rack-types",
            "rack": "racks",
            "device_type": "device-types",
            "role": "device-roles",
            "platform": "platforms",
            "device": "devices",
            "module_bay": "module-bays",
            "module_type": "module-types",
            "lag": "interfaces",
            "power_panel": "power-panels",
            "power_port": "power-ports",
        }.items()
    }
    | {"rir": "ipam/rirs"}
    | dict.fromkeys(("primary_ip4", "primary_ip6", "oob_ip"), "ipam/ip-addresses")
)
CHOICES = {"status", "face", "type", "form_factor", "width", "length_unit", "role", "profile"}
UNIQUE = {
    "dcim/interfaces": (("device", "name"), "Interface with this Device and Name already exists."),
    "dcim/devices": (("site", "name"), "Device name must be unique per site."),
    "ipam/ip-addresses": (("address", "vrf"), "Duplicate IP address found in global table"),
}


class FakeNetBox:
    """Objects by path and id, and the requests that wrote; `failing` are statuses to answer the next writes with,
    `refusing` names of objects that it does not take.
    """

    def __init__(self) -> None:
        self.held: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
        self.writes: list[tuple[str, str, Any]] = []
        self.failing: list[int] = []
        self.refusing: set[str] = set()
        self.url, self.version = "", "4.4.10"

    def make(self, path: str, rows: list[dict[str, Any]]) -> tuple[int, Any]:
        """Make objects, all or none."""
        errors = [self._error(path, row) for row in rows]
        if len(self.refusing.intersection(str(row.get("name")) for row in rows)):
            errors = [{"type": ["not a valid choice."]} if row["name"] in self.refusing else {} for row in rows]
        if any(errors):
            return 400, errors
        made = []
        for row in rows:
            number = max(self.held[path], default=0) + 1
            self.held[path][number] = {"tags": [], **row, "id": number}
            made.append(self.shown(path, self.held[path][number]))
        return 201, made

    def _error(self, path: str, row: dict[str, Any]) -> dict[str, list[str]]:
        for tag in row.get("tags", ()):
            if not any(each["slug"] == tag["slug"] for each in self.held["extras/tags"].values()):
                return {"tags": ["Related object not found using the provided attributes"]}
        for name, value in row.items():
            known = self.held[REFERENCES[name]] if name in REFERENCES and not (name in CHOICES and "ip" in path) else {}
            if isinstance(value, int) and known and value not in known:
                return {name: [f"Related object not found using the provided numeric ID: {value}"]}
        if path in UNIQUE:
            names, text = UNIQUE[path]
            if any(all(each.get(n) == row.get(n) for n in names) for each in self.held[path].values()):
                return {"__all__": [text]}
        if path == "dcim/cables" and (
            taken := self.ends(row) & {e for c in self.held[path].values() for e in self.ends(c)}
        ):
            return {"__all__": [f"Duplicate termination found for {min(map(str, taken))}"]}
        return {}

    @staticmethod
    def ends(cable: dict[str, Any]) -> set[Any]:
        """What a cable joins: ids of interfaces, and of all else with their types."""
        ends = [end for side in "ab" for end in cable[f"{side}_terminations"]]
        return {
            end["object_id"] if end["object_type"] == "dcim.interface" else (end["object_type"], end["object_id"])
            for end in ends
        }

    def sites(self, path: str, row: dict[str, Any]) -> set[int]:
        """Where a device is, or that of an interface; none of what is at no site, and of what is told by its ends."""
        device = self.held["dcim/devices"][row["device"]] if path == "dcim/interfaces" else row
        return {device["site"]} - {None} if path in ("dcim/devices", "dcim/interfaces") else set()

    def shown(self, path: str, row: dict[str, Any]) -> dict[str, Any]:
        """An object as it is read."""
        found: dict[str, Any] = {"display": str(row.get("name") or row.get("label") or row.get("address") or row["id"])}
        for name, value in row.items():
            choice = name in CHOICES and not (path == "dcim/cables" and name == "type")
            if name in REFERENCES and isinstance(value, int):
                other = self.held[REFERENCES[name]][value]
                brief = {each: other[each] for each in ("name", "model", "address") if each in other}
                found[name] = {"id": value, "display": self.shown(REFERENCES[name], other)["display"]} | brief
            elif choice:
                found[name] = {"value": value, "label": str(value).title()} if value else None
            else:
                found[name] = value
        return found

    def delete(self, path: str, numbers: list[int]) -> tuple[int, Any]:
        """Delete objects that nothing refers to, all or none; components go with their device."""
        users = [
            (other, each["id"])
            for other, rows in self.held.items()
            for each in rows.values()
            for name, value in each.items()
            if REFERENCES.get(name) == path and value in numbers and not (path == "dcim/devices" and name == "device")
        ]
        if users and not path.startswith("ipam/ip"):
            return 409, {"detail": f"Unable to delete object. {len(users)} dependent objects were found: {users[0]}"}
        for number in numbers:
            self.held[path].pop(number, None)
        if path == "dcim/devices":
            for other in ("dcim/interfaces", "dcim/module-bays", "dcim/modules"):
                self.held[other] = {n: each for n, each in self.held[other].items() if each["device"] not in numbers}
        return 204, None

    def answer(self, method: str, path: str, body: Any, query: dict[str, list[str]]) -> tuple[int, Any]:
        """The status and content of an answer."""
        if path == "status":
            return 200, {"netbox-version": self.version}
        if method == "GET":
            sites = {int(number) for number in query.get("site_id", ())}
            rows = [
                self.shown(path, r) for r in self.held[path].values() if not self.sites(path, r) - sites or not sites
            ]
            if "slug" in query:
                rows = [row for row in rows if row["slug"] in query["slug"]]
            if "fields" in query:
                wanted = query["fields"][0].split(",")
                rows = [{name: row.get(name) for name in wanted} for row in rows]
            offset, limit = int(query["offset"][0]), min(int(query["limit"][0]), 50)
            return 200, {"count": len(rows), "next": None, "previous": None, "results": rows[offset : offset + limit]}
        if self.failing and (status := self.failing.pop(0)):
            return status, {"detail": "busy"}
        self.writes.append((method, path, body))
        if method == "POST":
            return self.make(path, body)
        if method == "PATCH":
            for row in body:
                self.held[path][row["id"]] |= row
            return 200, [self.shown(path, self.held[path][row["id"]]) for row in body]
        return self.delete(path, [row["id"] for row in body])


def _refused(header: str) -> str:
    """Why a header is refused, "" where it is not, as NetBox 4.6.8 reads it (github.com/netbox-community/netbox v4.6.8,
    netbox/netbox/api/authentication.py; TOKEN_PREFIX in netbox/users/constants.py).
    """
    word, _, token = header.partition(" ")
    if word not in ("Token", "Bearer"):
        return "Authentication credentials were not provided."
    if not token.startswith("nbt_"):
        return "" if (word, token) == ("Token", TOKEN) else "Invalid v1 token"
    key, dot, secret = token.removeprefix("nbt_").partition(".")
    if not dot:
        return "Invalid authorization header: Could not parse key from v2 token."
    return "" if (word, key, secret) == ("Bearer", KEY, SECRET) else "Invalid v2 token"


@contextmanager
def fake_netbox(netbox: FakeNetBox | None = None) -> Iterator[FakeNetBox]:
    """One that listens on a port of this machine until the end."""
    netbox = netbox or FakeNetBox()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = urlsplit(self.path)
            refused = _refused(self.headers.get("Authorization", ""))
            status, told = 403, {"detail": refused}
            if not refused:
                path = parts.path.removeprefix("/api/").strip("/")
                status, told = netbox.answer(self.command, path, json.loads(body or "null"), parse_qs(parts.query))
            content = b"" if told is None else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            if status == 429:
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815 - names of http.server

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        netbox.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield netbox
        server.shutdown()
        thread.join()
