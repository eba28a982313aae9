"""The variants of the switches of a cluster: airflow, managed or not, and part numbers."""

from __future__ import annotations

from collections import Counter

from fabricgen.catalog.models import SwitchProfile, Variant
from fabricgen.cluster import Cluster
from fabricgen.design.variants import variant_of
from fabricgen.wiring.tables import DeviceClass


def variant_of_class(cluster: Cluster, cls: DeviceClass) -> Variant | None:
    """The variant of the switches of a class; None for nodes."""
    if not isinstance(cls.profile, SwitchProfile):
        return None
    return variant_of(cluster.design, cls.fabric, cls.tier, cls.nos, cls.profile)


def variants_of(cluster: Cluster, model: str) -> Counter[Variant]:
    """How many switches of a model there are of each variant, in the order of the devices."""
    found: Counter[Variant] = Counter()
    for cls in cluster.plan.devices.classes:
        variant = variant_of_class(cluster, cls)
        if variant is not None and cls.profile.id == model:
            found[variant] += cls.count
    return found


def text_of_variants(counts: Counter[Variant]) -> str:
    """The variants of a model, to describe it: `managed, port side exhaust: MQM9700-NS2F`; "" where none is known."""
    told = [(v, n) for v, n in counts.items() if v.text or v.part_number]
    texts = [f"{v.text}: {v.part_number}" if v.text and v.part_number else v.text or v.part_number for v, _ in told]
    if len(counts) > 1:
        texts = [f"{n} {text}" for text, (_, n) in zip(texts, told, strict=True)]
    return "; ".join(texts)
