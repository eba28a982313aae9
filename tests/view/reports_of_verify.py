"""Reports as `verify --format json` writes them, made by hand for an example: swaps, exchanges, shifts, dark cables."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from fabricgen.cluster import Cluster


class Hall:
    """A cluster's cables by where they end, and a report on them that grows."""

    def __init__(self, cluster: Cluster) -> None:
        self.ids = list(cluster.cable_ids)
        links, names = cluster.plan.links, cluster.names
        self.devices = names
        self.at: dict[str, tuple[str, str, str]] = {}
        """By DEVICE:PORT: the cable, and the other end as device and port."""
        sides = (links.a_device, cluster.a_port, links.b_device, cluster.b_port)
        for cable, a, a_port, b, b_port in zip(links.cable.tolist(), *(side.tolist() for side in sides), strict=True):
            if cable >= 0:
                self.at[f"{names[a]}:{a_port}"] = (self.ids[cable], names[b], b_port)
                self.at[f"{names[b]}:{b_port}"] = (self.ids[cable], names[a], a_port)
        self.wrong: dict[str, str] = {}
        self.unseen: set[str] = set()
        self.actions: list[dict[str, Any]] = []

    def ports(self, device: str) -> list[str]:
        """Cabled ports of a device, as DEVICE:PORT."""
        return [place for place in self.at if place.startswith(f"{device}:")]

    def end(self, place: str) -> dict[str, Any]:
        """An end as the report has it."""
        device, _, port = place.partition(":")
        far = ":".join(self.at[place][1:]) if place in self.at else ""
        return {"device": device, "port": port, "rack": "rack-1", "u": 12, "label": f"{place} > {far}"}

    def act(self, kind: str, places: list[str], text: str, *, steps: list[tuple[str, str]] = (), **more: Any) -> None:  # type: ignore[assignment]
        """An action on the cables that are planned at some places; steps are (where the plug is, where it belongs)."""
        cables = list(dict.fromkeys(self.at[place][0] for place in places))
        told = [
            {"cable": self.at[put][0], "pull": self.end(pull), "put": self.end(put), "reaches": True}
            for pull, put in steps
        ]
        self.wrong |= dict.fromkeys(cables, "dark" if kind == "dark" else "elsewhere")
        self.actions.append(
            {
                "id": f"{kind}-{len(self.actions):08x}",
                "kind": kind,
                "moves": len(steps),
                "boxes": 0,
                "cables": cables,
                "ends": [self.end(place) for place in places],
                "alternatives": [],
                "text": text,
                "steps": told,
                **more,
            }
        )

    def swap(self, one: str, other: str) -> None:
        """Two plugs that are in each other's places."""
        self.act("swap", [one, other], f"{one} and {other} are swapped", steps=[(one, other), (other, one)])

    def dark(self, place: str) -> None:
        """A cable that nobody sees."""
        far = ":".join(self.at[place][1:])
        self.act("dark", [place, far], f"{place} and {far} see nobody")

    def exchange(self, one: str, other: str) -> None:
        """Two boxes in each other's places."""
        price = {"kind": "swap", "text": "or the plugs of both", "moves": 2 * len(self.ports(one)), "boxes": 0}
        told = {"moves": 0, "boxes": 2, "renamed": {one: other, other: one}, "alternatives": [price]}
        text = f"{one} and {other} are exchanged: swap the two boxes"
        self.act("exchange", [*self.ports(one), *self.ports(other)], text, **told)
        self.actions[-1]["ends"] = [{**self.end(f"{name}:"), "label": ""} for name in (one, other)]

    def contract(self) -> dict[str, Any]:
        """The report with the keys of the contract alone."""
        wrong = list(self.wrong.values())
        counts = {state: wrong.count(state) for state in ("dark", "elsewhere")}
        right = len(self.ids) - len(wrong) - len(self.unseen)
        cables = {"as_planned": right, **counts, "unseen": len(self.unseen), "harmless": 0, "extra": 0}
        keys = ("id", "kind", "moves", "boxes", "cables", "ends", "alternatives", "text")
        return {"cables": cables, "actions": [{key: action[key] for key in keys} for action in self.actions]}

    def report(self, name: str) -> dict[str, Any]:
        """The report with all that is used of it."""
        verified: dict[str, list[str]] = defaultdict(list)
        for one in self.ids:
            if one not in self.wrong and one not in self.unseen:
                verified[one.partition(":")[0]].append(one.partition(":")[2])
        units = [{"name": f"p1/su{i}", "total": 588, "verified": 588 - i, "elsewhere": i} for i in range(4)]
        return {
            **self.contract(),
            "name": name,
            "version": 1,
            "actions": self.actions,
            "verified": {device: " ".join(cages) for device, cages in verified.items()},
            "progress": {"units": units, "racks": []},
            "notes": ["n012 is known by what it is connected to"],
        }
