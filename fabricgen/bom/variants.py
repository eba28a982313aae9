"""The variants of the switches of a cluster: airflow, managed or not, what feeds them, and part numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fabricgen.bom.accessories import flag_busbar_racks
from fabricgen.catalog.models import SwitchProfile, Variant
from fabricgen.cluster import Cluster
from fabricgen.design.floor.port_sides import choose_busbar_variant, choose_variant
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import DeviceClass


def find_class_variant(cluster: Cluster, cls: DeviceClass) -> Variant | None:
    """Return the variant of the switches of a class outside racks with a busbar; None for a class of nodes."""
    if not isinstance(cls.profile, SwitchProfile):
        return None
    return choose_variant(cluster.design, cls.fabric, cls.tier, cls.nos, cls.profile)


def list_switches(cluster: Cluster, model: str) -> Iterator[tuple[Variant, Ints64]]:
    """Yield (variant, rows of the device table, int64) for the switches of a model, in the order of their classes.

    Within a class, switches in racks with a busbar come apart, after the others.
    """
    devices = cluster.plan.devices
    busbar = flag_busbar_racks(cluster)
    for cls in devices.classes:
        variant = find_class_variant(cluster, cls)
        if variant is not None and isinstance(cls.profile, SwitchProfile) and cls.profile.id == model:
            on_busbar = busbar[devices.rack[cls.rows]]
            for form, mask in ((variant, ~on_busbar), (choose_busbar_variant(cls.profile, variant), on_busbar)):
                if mask.any():
                    yield form, cls.first + mask.nonzero()[0]


def count_variants(cluster: Cluster, model: str) -> Counter[Variant]:
    """Return how many switches of a model are of each variant, in the order of the devices."""
    counts: Counter[Variant] = Counter()
    for variant, rows in list_switches(cluster, model):
        counts[variant] += len(rows)
    return counts


def describe_variants(counts: Counter[Variant]) -> str:
    """Return a text that describes the variants of a model: `managed, port side exhaust: MQM9700-NS2F`; "" if none is
    known.

    `counts` has the number of switches of each variant; with several variants, each is preceded by its number.
    """
    described = [(v, n) for v, n in counts.items() if v.text or v.part_number]
    texts = [
        f"{v.text}: {v.part_number}" if v.text and v.part_number else v.text or v.part_number for v, _ in described
    ]
    if len(counts) > 1:
        texts = [f"{n} {text}" for text, (_, n) in zip(texts, described, strict=True)]
    return "; ".join(texts)
