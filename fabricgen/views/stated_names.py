"""Checks that the devices and racks that a blueprint names exist, without the wiring, for `lint --fast`.

A build checks the names again where it uses them. Here they are checked with the devices and racks alone, and with
single links only for leaks that share subnets; names of ports and cages need the wiring. Modules are imported only for
what is stated: `lint --fast` is quick at any size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.numbering.names import find_stated_places, name_devices
from fabricgen.wiring.tables import DeviceTable


def check_stated_names(design: Design) -> None:
    """Raise InputError, located in the blueprint, for names that are no valid host names, or that nothing has.

    Those are names of devices (FG035, FG040, FG047), of devices with numbers, cables, settings, places or GUIDs of
    their own (FG047, FG053, FG060, FG061, FG068, FG079, FG080), of racks (FG068) and of tiers with AS numbers (FG016).
    """
    try:
        if design.loaded.blueprint.numbers_tiers:
            from fabricgen.numbering.switch_asns import check_asn_tiers

            check_asn_tiers(design)
        devices = _list_devices(design)
        faults = list(_find_unknown_names(design, devices, name_devices(design, devices)))
        if faults:
            raise InputError(faults)
        if any(leak.meeting for leak in design.leaks):
            _check_shared_leaves(design)
    except InputError as error:
        raise design.loaded.locate_error(error) from error


def _check_shared_leaves(design: Design) -> None:
    """Raise InputError (FG098) for leaves with hosts of both VRFs of a leak in one subnet; builds the wiring plan."""
    from fabricgen.numbering.addresses.shared_ports import check_leaks
    from fabricgen.wiring.expand import build_wiring_plan

    plan = build_wiring_plan(design, find_stated_places)
    check_leaks(design, plan, name_devices(design, plan.devices))


def _list_devices(design: Design) -> DeviceTable:
    """Return all devices; if the blueprint states places, in their racks."""
    floor = design.loaded.blueprint.floor
    if floor.devices or floor.racks:
        from fabricgen.wiring.expand import place_devices

        return place_devices(design, find_stated_places)[0]
    from fabricgen.wiring.devices import expand_devices

    return expand_devices(design)


def _find_unknown_names(design: Design, devices: DeviceTable, names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a fault for each device name in the blueprint, GUID files or inventory that no device has, and for names
    and settings of `config_of` that cannot be configured.
    """
    blueprint = design.loaded.blueprint
    if blueprint.address_of:
        from fabricgen.numbering.overrides import find_unknown_overrides

        yield from find_unknown_overrides(blueprint.address_of, names)
    if blueprint.config_of:
        from fabricgen.views.configuration import find_unconfigurable_devices

        yield from find_unconfigurable_devices(design, devices, names)
    if blueprint.cable_of:
        from fabricgen.cable_overrides.built import list_unknown_devices

        yield from list_unknown_devices(blueprint.cable_of, names)
    for rows in design.loaded.guids.values():
        from fabricgen.numbering.guids import find_unknown_guid_devices

        yield from find_unknown_guid_devices(rows, names)
    if design.loaded.inventory:
        from fabricgen.numbering.guids import find_unknown_inventory_devices

        yield from find_unknown_inventory_devices(design.loaded.inventory, names)
