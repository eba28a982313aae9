"""ansible/: an inventory of the cluster, and a playbook that compares switches with the plan; on request.

The playbook collects what switches run, has `fabricgen check --running` judge it, and pushes what differs only with
`-e push=true`.

Sources: Ansible community documentation, "How to build your inventory" and "Special variables"; for names of groups
ansible/ansible, lib/ansible/inventory/group.py (to_safe_group_name); for EOS the modules eos_command and eos_config of
github.com/ansible-collections/arista.eos@0154fa1f; for SONiC our own configs/README-sonic.md; for Cumulus Linux "Config
Commands" of NVIDIA's NVUE reference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from json import dumps

from fabricgen.cluster import Cluster
from fabricgen.export.operations import Labels, list_configured_nos, list_labels, make_identifier
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.discovery import find_resource_dir


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield the inventory, and, if a switch has a configuration, the playbook and the files that it includes."""
    catalog = cluster.design.catalog
    configured = list_configured_nos(catalog)
    facts = {nos: catalog.naming(nos).systems.ansible for nos in configured}
    variables = {f"nos_{nos}": group_variables for nos, group_variables in facts.items() if group_variables is not None}
    devices_by_group = defaultdict[tuple[str, ...], list[str]](list)
    hosts = list[str]()
    for labels in list_labels(cluster):
        hosts.append(_format_host(labels))
        for group in _list_groups(labels, configured):
            devices_by_group[group].append(labels["device"])
    members = dict(zip(_name_groups(list(devices_by_group)), devices_by_group.values(), strict=True))
    yield "ansible/inventory.yaml", "".join(_write_inventory(hosts, members, variables)).encode()
    systems = [group.removeprefix("nos_") for group in variables if group in members]
    folder = find_resource_dir("templates") / "ansible"
    for name in ["configs.yaml", *(f"{step}-{nos}.yaml" for nos in systems for step in ("collect", "push"))]:
        if systems:
            yield f"ansible/{name}", (folder / name).read_bytes()


def rows(cluster: Cluster) -> int:
    """Return the work of writing the inventory, counted in rows of links.csv: a device takes as long as some links."""
    return 5 * len(cluster.plan.devices)


def _format_host(labels: Labels) -> str:
    """Return a line of the inventory: the address by which a device is known, and what the plan says of it."""
    plan = {name: text for name, text in labels.items() if name not in ("device", "address")}
    address = {"ansible_host": labels["address"]} if "address" in labels else {}
    return f"    {dumps(labels['device'])}: {dumps({**address, 'plan': plan})}\n"


def _list_groups(labels: Labels, configured: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Yield the groups of a device, as (kind, values...): `("tier", "compute", "leaf")` or `("unit", "p1", "2")`.

    `labels` are those of the device, and `configured` every NOS for which configurations are written. Units count
    within a pod.
    """
    fabric, nos = labels.get("fabric"), labels.get("nos")
    yield ("fabric", fabric) if fabric else ("nodes",)
    if fabric:
        yield ("tier", fabric, labels["tier"])
    for name in ("site", "pod", "rail", "plane", "nos"):
        if name in labels:
            yield (name, labels[name])
    if "su" in labels:
        yield ("unit", labels.get("pod", ""), labels["su"])
    if nos in configured:
        yield ("configured",)


def _name_groups(groups: list[tuple[str, ...]]) -> list[str]:
    """Return the names of groups; because names have no dashes, two may become equal: the later one then gets
    a number.
    """
    used = dict[str, None]()
    for group in groups:
        name, number = make_identifier("_".join(group)), 2
        while name in used:
            name, number = f"{make_identifier('_'.join(group))}_{number}", number + 1
        used[name] = None
    return list(used)


def _write_inventory(
    hosts: list[str], members: dict[str, list[str]], variables: Mapping[str, Mapping[str, str | bool]]
) -> Iterator[str]:
    """Yield the inventory as YAML: hosts, groups with their members, and variables.

    Texts are written as JSON, which is YAML: otherwise a name may read as a number.
    """
    yield "all:\n  hosts:\n"
    yield from hosts
    yield "  children:\n"
    for group in sorted(members):
        yield f"    {group}:\n"
        if variables.get(group):
            yield f"      vars: {dumps(variables[group])}\n"
        yield "      hosts:\n"
        yield from (f"        {dumps(name)}:\n" for name in members[group])
