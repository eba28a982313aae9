"""The blueprints that are measured, from a thousand to a million GPUs, each with an edit that adds a scalable unit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OWN = Path(__file__).resolve().parent / "blueprints"


@dataclass(frozen=True, slots=True)
class Size:
    """One blueprint.

    `grown` are the `--set` that add one scalable unit and leave the counts of all tiers above leaves as they are.
    `gpus`, `switches`, `links` (without scale-up) and `findings` (errors, warnings) are what must come out.
    `on_request` are the parts beside the usual ones that are sensible to write at this size.
    """

    name: str
    blueprint: Path
    grown: tuple[str, ...]
    gpus: int
    switches: int
    links: int
    findings: tuple[int, int]
    on_request: tuple[str, ...] = ()

    @property
    def growth(self) -> list[str]:
        """Arguments that add the unit."""
        return [argument for value in self.grown for argument in ("--set", value)]


_LISTS = ("bom-trace", "hosts", "labels")
_ALL = (*_LISTS, "drawings", "scale-up", "technician")

SIZES = {
    size.name: size
    for size in (
        Size(
            "1k",
            OWN / "three-tier-1k.yaml",
            ("pods.p123.su=2", "pods.p123.nodes=128"),
            gpus=1_024,
            switches=124,
            links=4_240,
            findings=(0, 0),
            on_request=_ALL,
        ),
        Size(
            "16k",
            OWN / "three-tier-16k.yaml",
            ("pods.p123.su=16", "pods.p123.nodes=1024"),
            gpus=15_872,
            switches=702,
            links=50_244,
            findings=(0, 0),
            on_request=_ALL,
        ),
        Size(
            "200k",
            ROOT / "blueprints" / "colossus-200k.yaml",
            ("pods.p49.su=8", "pods.p49.nodes=488"),
            gpus=200_000,
            switches=9_701,
            links=660_480,
            findings=(0, 0),
            on_request=_LISTS,
        ),
        Size(
            "1m",
            OWN / "three-tier-1m.yaml",
            ("pods.p123.su=3", "pods.p123.nodes=136"),
            gpus=1_000_000,
            switches=43_726,
            links=3_141_372,
            findings=(0, 1),  # FG716: some cables of this hall are longer than headroom is published for
        ),
    )
}

NORMAL = ROOT / "blueprints" / "superpod-b300.yaml"
"""A blueprint of usual size, for what a person waits for."""
