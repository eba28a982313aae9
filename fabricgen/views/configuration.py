"""The user's additions to switch configurations: snippets of raw configuration, and settings of single ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fabricgen.blueprint.sections.configuration import PortSettings, Snippet, Snippets
from fabricgen.catalog.nos_configuration import Intent
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.design.snippets import find_snippet_place
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault
from fabricgen.numbering.ports import PortNames
from fabricgen.wiring.tables import SWITCH, DeviceTable, WiringPlan

if TYPE_CHECKING:
    from fabricgen.views.switch import PlacedSnippet


def list_snippets(design: Design, tier: TierDesign, device: str) -> tuple[PlacedSnippet, ...]:
    """Return the snippets of a switch for its NOS: of the cluster, its fabric, its tier and itself, by name."""
    blueprint = design.loaded.blueprint
    fabric = blueprint.fabrics[tier.fabric]
    device_spec = blueprint.config_of.get(device)
    scopes: tuple[tuple[Path, Snippets], ...] = (
        ((), blueprint.snippets),
        (("fabrics", tier.fabric), fabric.snippets),
        (("fabrics", tier.fabric, "tiers", tier.name), fabric.tiers[tier.name].snippets),
        (("config_of", device), device_spec.snippets if device_spec else {}),
    )
    return tuple(
        _place_snippet(design, name, snippet, (*scope, "snippets", name))
        for scope, snippets in scopes
        for name, snippet in sorted(snippets.items())
        if snippet.nos == tier.nos
    )


def _place_snippet(design: Design, name: str, snippet: Snippet, path: Path) -> PlacedSnippet:
    """Return a snippet with the name of the place in the configuration where it goes, such as `bgp`.

    `name` is its name, `path` its path in the blueprint. Raises InputError (FG052) for a snippet that has no place
    there.
    """
    from fabricgen.views.switch import PlacedSnippet

    place = find_snippet_place(snippet, design.catalog, path)
    return PlacedSnippet(name, place, _list_snippet_lines(snippet), snippet.tree or {}, path)


def _list_snippet_lines(snippet: Snippet) -> tuple[str, ...]:
    """Return the lines of a snippet; none if it is a tree."""
    return tuple(line.rstrip() for line in (snippet.text or "").strip("\n").split("\n")) if snippet.text else ()


def find_port_settings(design: Design, device: str) -> Mapping[str, PortSettings]:
    """Return the settings of single ports of a switch, by port name."""
    device_spec = design.loaded.blueprint.config_of.get(device)
    return device_spec.ports if device_spec else {}


def is_in_maintenance(design: Design, device: str) -> bool:
    """Whether `config_of` states `maintenance` for a switch: it drains itself then, so that traffic goes other ways."""
    device_spec = design.loaded.blueprint.config_of.get(device)
    return device_spec is not None and device_spec.maintenance


def check_configurations(design: Design, plan: WiringPlan, names: Sequence[str], port_names: PortNames) -> None:
    """Raise InputError (FG053) for entries of `config_of` that are no switch, and for ports without a cable."""
    config_of = design.loaded.blueprint.config_of
    if not config_of:
        return
    from fabricgen.numbering.ports import LinkEnds

    faults = list(find_unconfigurable_devices(design, plan.devices, names))
    faulty_paths = {fault_.path for fault_ in faults}
    rows = {
        name: row for row, name in enumerate(names) if name in config_of and ("config_of", name) not in faulty_paths
    }
    ends = LinkEnds(plan, port_names.ports)
    faults += [
        fault_
        for name, row in rows.items()
        for fault_ in _find_uncabled_ports(plan, name, config_of[name].ports, ends.list_device_links(row))
    ]
    if faults:
        raise InputError(faults)


def find_unconfigurable_devices(design: Design, devices: DeviceTable, names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield faults (FG053): entries of `config_of` that are no switch, or ask for what its NOS does not claim."""
    config_of = design.loaded.blueprint.config_of
    rows = {name: row for row, name in enumerate(names) if name in config_of}
    for name in config_of:
        row = rows.get(name)
        if row is None or devices.classes[devices.device_class[row]].kind != SWITCH:
            yield from _refuse_device(name, names, is_device=row is not None)
        else:
            yield from _find_unclaimed_settings(
                design, design.tier(devices.classes[devices.device_class[row]].key), name
            )


def _refuse_device(name: str, names: Sequence[str], *, is_device: bool) -> tuple[Diagnostic, ...]:
    """Return the fault (FG053) of a name that is no switch."""
    problem = f"'{name}' is no switch" if is_device else f"there is no device '{name}'"
    hint = "" if is_device else did_you_mean(name, names)
    return fault("FG053", f"{problem}, so it has no configuration", path=("config_of", name), hint=hint).diagnostics


def _find_uncabled_ports(
    plan: WiringPlan, device: str, ports: Iterable[str], cabled: Mapping[str, tuple[int, bool]]
) -> Iterator[Diagnostic]:
    """Yield faults (FG053) of ports without a cable, and of management ports, which no configuration sets.

    `cabled` has (link, whether the device is its upper end) by port.
    """
    for port in ports:
        message, hint = f"{device} has no cable at port '{port}'", did_you_mean(port, sorted(cabled))
        if port in cabled:
            link, is_upper = cabled[port]
            segment = plan.links.segments[plan.links.segment[link]]
            if isinstance(segment.b if is_upper else segment.a, PortRun):
                continue
            message = f"{port} of {device} is its management port, which has no settings of single ports"
            hint = "a snippet in the words of its NOS can set it"
        yield from fault("FG053", message, path=("config_of", device, "ports", port), hint=hint).diagnostics


def _find_unclaimed_settings(design: Design, tier: TierDesign, device: str) -> Iterator[Diagnostic]:
    """Yield faults (FG053) of what is asked only of one switch of a tier and its NOS does not claim."""
    configuration = design.catalog.naming(tier.nos).configuration
    device_spec = design.loaded.blueprint.config_of[device]
    intents: tuple[tuple[Intent, str, object], ...] = (
        ("maintenance", "maintenance", device_spec.maintenance),
        ("port-settings", "ports", device_spec.ports),
    )
    for intent, setting, value in intents:
        if value and configuration.claims and (why := configuration.explain_refusal(intent, tier.profile.asic)):
            message = f"{tier.nos} of {device} does not support {intent}"
            yield from fault("FG053", message, path=("config_of", device, setting), hint=why).diagnostics
