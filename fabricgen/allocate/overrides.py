"""Numbers of single devices (`address_of`), laid over those that were allocated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fabricgen.allocate.addresses import Addresses
from fabricgen.allocate.family import of_family
from fabricgen.allocate.family_overrides import FamilyOverrides
from fabricgen.allocate.holders import check_asn
from fabricgen.allocate.ports import Strings
from fabricgen.blueprint.overrides import Override
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault
from fabricgen.plan.tables import SWITCH, Plan


def with_overrides(
    design: Design, plan: Plan, names: Sequence[str], ports: tuple[Strings, Strings], addresses: Addresses
) -> Addresses:
    """The addresses with what single devices have of their own.

    Raises InputError at what no device has, and at numbers that others hold.
    """
    stated = design.loaded.blueprint.address_of
    return _Overriding(plan, names, ports, addresses).run(stated) if stated else addresses


class _Overriding:
    def __init__(self, plan: Plan, names: Sequence[str], ports: tuple[Strings, Strings], addresses: Addresses) -> None:
        self.plan, self.names = plan, names
        self.to = replace(addresses, asn=addresses.asn.copy(), router_id=addresses.router_id.copy())
        self.families = [FamilyOverrides(plan, names, ports, f, self.to.router_id) for f in addresses.families]

    def run(self, stated: Mapping[str, Override]) -> Addresses:
        rows = {name: row for row, name in enumerate(self.names) if name in stated}
        for name in stated:
            if name not in rows:
                hint = did_you_mean(name, self.names)
                raise fault("FG047", f"there is no device '{name}'", path=("address_of", name), hint=hint)
        for name, own in stated.items():
            self._device(rows[name], own, ("address_of", name))
        for family in self.families:
            family.check()
        for name, own in stated.items():
            if own.asn is not None:
                check_asn(self.plan, self.names, self.to.asn, rows[name], ("address_of", name, "asn"))
        own_loopbacks = self._own_loopbacks(rows, stated)
        return replace(self.to, families=tuple(f.found for f in self.families), own_loopbacks=own_loopbacks)

    def _device(self, row: int, own: Override, path: Path) -> None:
        if own.asn is not None:
            if not self.to.asn[row]:
                message = f"{self.names[row]} has no AS number that could be another"
                raise fault("FG047", message, path=(*path, "asn"))
            self.to.asn[row] = own.asn
        for family, address in self._each(own.loopback, (*path, "loopback")):
            family.loopback(row, address, (*path, "loopback"))
        for family, address in self._each(own.mgmt, (*path, "mgmt")):
            family.management(row, address, (*path, "mgmt"))
        for port, addresses in own.links.items():
            for family, address in self._each(addresses, (*path, "links", port)):
                family.link(row, port, address, (*path, "links", port))

    def _each(self, stated: tuple[str, ...] | None, path: Path) -> Iterator[tuple[FamilyOverrides, int]]:
        """Addresses as integers, each with its family; those of a family that nothing has are refused."""
        left = set(stated or ())
        for each in self.families:
            for text in of_family(stated, each.found.family):
                left.discard(text)
                yield each, each.found.family.parse(text)
        for text in sorted(left):
            raise fault("FG047", f"nothing in the cluster has an address such as {text}", path=path, hint="see `ip`")

    def _own_loopbacks(self, rows: Mapping[str, int], stated: Mapping[str, Override]) -> dict[str, tuple[str, ...]]:
        """By fabric: loopbacks that single switches have, as prefixes."""
        devices = self.plan.devices
        found: dict[str, tuple[str, ...]] = {}
        for name, own in sorted(stated.items()):
            cls = devices.classes[devices.device_class[rows[name]]]
            for each in self.families if cls.kind == SWITCH else ():
                family = each.found
                if of_family(own.loopback, family.family) and family.loopback.at(rows[name]):
                    prefix = family.prefix(family.loopback.at(rows[name]), family.family.bits)
                    found[cls.fabric] = (*found.get(cls.fabric, ()), prefix)
        return found
