"""Device names: a name never depends on what else is in the cluster.

Templates of names are in design/names; this module fills them in for the rows of the device table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED, PLACE, Key, parse_adopted_section, parse_place
from fabricgen.blueprint.sections.floor import DevicePlace
from fabricgen.blueprint.sections.naming import LONGEST, Names, are_host_names, is_host_name
from fabricgen.design.model import Design
from fabricgen.design.names.switches import NodeNames, make_switch_names
from fabricgen.design.names.templates import apply_stated_names
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean, fault
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, DeviceClass, DeviceTable

RESERVED_NAMES = {
    "all": "what Ansible and Slurm call everybody",
    "configured": "a group of Ansible's inventory",
    "default": "what Slurm calls the settings of all nodes",
    "localhost": "what every machine calls itself",
    "nodes": "a group of Ansible's inventory",
    "ungrouped": "a group of Ansible's",
}
"""Host names that mean something else to the systems that run a cluster, and what they mean (RFC 6761, 6.3;
slurm.conf(5), "NodeName"; Ansible, "How to build your inventory")."""


def name_devices(design: Design, devices: DeviceTable) -> list[str]:
    """Return the name of every device, in table order.

    Nodes are `p1-su01-n001`, switches `fabric-tier-place-...-01`, or as templates have it; extra devices have their own
    name, scale-up trays that of their rack. Numbers are padded to a fixed width and grow wider, never narrower, so that
    growth renames nothing. Raises InputError if two devices would have one name, or one a name that is no host name.
    """
    usual = list_usual_names(design, devices)
    names = apply_stated_names(design.loaded.blueprint, usual)
    adopted = read_adopted_names(design)
    if adopted:
        stated_names = design.loaded.blueprint.names.devices
        for default, row in index_default_names(design, devices).items():
            if default in adopted and usual[row] not in stated_names:
                names[row] = adopted[default]
    _check_names(design, devices, usual, names)
    return names


def read_adopted_names(design: Design) -> dict[str, str]:
    """Return the adopted host names in the lock, by default name."""
    adopted = parse_adopted_section(design.layout.lock.find_words(ADOPTED))
    return {key.device: value for key, value in adopted.items() if key.what == "name"}


def find_stated_places(
    design: Design, devices: DeviceTable
) -> tuple[Sequence[str], dict[str, tuple[DevicePlace, Path]]]:
    """Return the names of all devices, and by name the places of single devices, each with the path where it is stated.

    Places of the blueprint (`floor.devices`) win over adopted ones in the lock. Without any place, no names are
    returned either. Raises InputError like `name_devices`.
    """
    stated = design.loaded.blueprint.floor.devices
    adopted = parse_adopted_section(design.layout.lock.find_words(ADOPTED))
    adopted_places = {
        adopted_key.device: (parse_place(value), (ADOPTED, adopted_key.text()))
        for adopted_key, value in adopted.items()
        if adopted_key.what == PLACE
    }
    if not stated and not adopted_places:
        return (), {}
    names = name_devices(design, devices)
    rows = index_default_names(design, devices) if adopted_places else {}
    place_of_name: dict[str, tuple[DevicePlace, Path]] = {
        names[rows[name]]: adopted_places[name] for name in adopted_places if name in rows
    }
    return names, place_of_name | {
        name: (stated_place, ("floor", "devices", name)) for name, stated_place in stated.items()
    }


def index_default_names(design: Design, devices: DeviceTable) -> dict[str, int]:
    """Return the row of every device by its default name, which follows from its coordinates without any template."""
    blueprint = design.loaded.blueprint
    fabrics = {name: fabric.model_copy(update={"names": {}}) for name, fabric in blueprint.fabrics.items()}
    without_templates = blueprint.model_copy(update={"names": Names.model_validate({}), "fabrics": fabrics})
    names = list_usual_names(replace(design, loaded=replace(design.loaded, blueprint=without_templates)), devices)
    return {name: row for row, name in enumerate(names)}


def list_usual_names(design: Design, devices: DeviceTable) -> list[str]:
    """Return the names of all devices by the templates, in table order, without names stated for single devices."""
    usual: list[str] = []
    for cls in devices.classes:
        if cls.kind == NODE:
            usual += _name_nodes(design, devices, cls)
        elif cls.kind == EXTRA:
            usual += design.extra_devices[cls.label][1]
        elif cls.kind == SWITCH:
            usual += _name_switches(design, cls)
        else:
            usual += _name_trays(design, devices, cls)
    return usual


def _check_names(design: Design, devices: DeviceTable, template_names: Sequence[str], names: Sequence[str]) -> None:
    """Raise InputError for names stated for unknown devices, for duplicate names, and for names that are no host names.

    `names` are those of all devices, and `template_names` those that they would have by the templates.
    """
    stated_names = design.loaded.blueprint.names.devices
    known_names = set(template_names) if stated_names else set()
    for name in stated_names:
        if name not in known_names:
            hint = did_you_mean(name, template_names)
            raise fault("FG047", f"there is no device '{name}' to name", path=("names", "devices", name), hint=hint)
    lowered = set(map(str.lower, names))
    if len(lowered) == len(names) and are_host_names(names) and lowered.isdisjoint(RESERVED_NAMES):
        return
    first_rows: dict[str, int] = {}
    for row, name in enumerate(names):
        first_row = first_rows.setdefault(name.lower(), row)
        if first_row != row:
            rows = (row, first_row)
            paths = [
                _find_name_source(design, devices, device, template_names[device], names[device]) for device in rows
            ]
            # The fault is at a name of an adopted device, if one of the two is.
            path, elsewhere = sorted(paths, key=lambda path: path[0] != ADOPTED)
            other_spelling = (
                "" if names[first_row] == name else f" and {names[first_row]}, which resolvers of names take for one"
            )
            lines = [".".join(map(str, devices.classes[devices.device_class[device]].path)) for device in rows]
            raise _refuse_duplicate(design, name + other_spelling, (path, elsewhere), lines)
        if not is_host_name(name) or name.lower() in RESERVED_NAMES:
            why = f"has {len(name)} characters" if len(name) > LONGEST else "is no label of RFC 1123"
            requirement = f"at most {LONGEST} letters, digits and, inside, '-'"
            if name.lower() in RESERVED_NAMES:
                why, requirement = f"is {RESERVED_NAMES[name.lower()]}", f"none of {', '.join(RESERVED_NAMES)}"
            path = _find_name_source(design, devices, row, template_names[row], name)
            raise fault("FG040", f"the host name {name} {why}", path=path, hint=requirement)


def _refuse_duplicate(design: Design, name: str, paths: tuple[Path, Path], lines: Sequence[str]) -> InputError:
    """Return the error for two devices with one name, or with names that differ in capitals only.

    It stands at the first of `paths`, which names the later device, and says where the other is; `lines` are the paths,
    as text, of the lines that create the two devices.
    """
    path, other_path = paths
    span = design.loaded.locate_finding(Diagnostic("FG035", Severity.ERROR, "", other_path)).span
    where = f"here and at {'.'.join(map(str, other_path))}" + (f" ({span})" if span else "")
    if path == other_path:
        where = f"of {lines[0]} and of {lines[1]}"
    hint = "choose another name for one of them"
    return fault("FG035", f"two devices would be named {name}, {where}", path=path, hint=hint)


def _find_name_source(design: Design, devices: DeviceTable, row: int, usual: str, name: str) -> Path:
    """Return the path that the name of the device in a row comes from; `usual` is its name by the templates.

    It is an entry for the device in the blueprint or among adopted names, the template, or the line that creates the
    device.
    """
    cls = devices.classes[devices.device_class[row]]
    if usual != name and usual in design.loaded.blueprint.names.devices:
        return ("names", "devices", usual)
    if usual != name:
        default = next(default for default, host in read_adopted_names(design).items() if host == name)
        return (ADOPTED, Key(default, "name").text())
    if cls.kind == NODE:
        return _make_node_names(design, cls).naming.path
    return make_switch_names(design, design.tier(cls.key)).naming.path if cls.kind == SWITCH else cls.path


def _make_node_names(design: Design, cls: DeviceClass) -> NodeNames:
    """Return the pattern that names the nodes of a class."""
    members = next(s for s in design.layout.node_sets if s.path == cls.path)
    return NodeNames(design.loaded.blueprint, design.layout, members)


def _name_switches(design: Design, cls: DeviceClass) -> list[str]:
    """Return the names of the switches of a tier, in the order in which `wiring/devices.py` lays out its rows."""
    tier = design.tier(cls.key)
    names = make_switch_names(design, tier).make_names(tier.sizes, tier.count)
    assert len(names) == cls.count, f"{len(names)} names for {cls.count} switches of {cls.tier}"  # noqa: S101
    return names


def _name_nodes(design: Design, devices: DeviceTable, cls: DeviceClass) -> list[str]:
    """Return the names of the nodes of a class, in their order."""
    columns = {"pod": devices.pod, "su": devices.su, "rack": devices.rack_in_unit, "node": devices.node}
    rows = {name: column[cls.rows].tolist() for name, column in columns.items()}
    return _make_node_names(design, cls).make_names(rows, cls.count)


def _name_trays(design: Design, devices: DeviceTable, cls: DeviceClass) -> list[str]:
    """Return the names of scale-up trays after where they stand, such as `p1-su01-rk01-tray-03`."""
    layout, names = design.layout, []
    columns = (devices.pod, devices.site, devices.su, devices.rack_in_unit, devices.index)
    # -1 stands for a tray that serves more than one pod, site, unit or rack
    for pod, site, su, rack, index in zip(*(column[cls.rows].tolist() for column in columns), strict=True):
        words = [layout.pods[pod].name] if pod >= 0 else []
        if pod < 0 <= site and layout.sites[site] != layout.unnamed_site:
            words = [layout.sites[site]]
        words += [f"su{su + 1:02d}"] if su >= 0 else []
        words += [f"rk{rack + 1:02d}"] if rack >= 0 else []
        names.append("-".join([*words, cls.label, f"{index + 1:02d}"]))
    return names


def list_site_names(design: Design, devices: DeviceTable) -> list[str]:
    """Return the name of every device's site; for a device that serves several sites, that of the first site."""
    sites = np.maximum(devices.site, 0).tolist()  # -1 stands for several sites
    return [design.layout.sites[i] for i in sites]
