"""`fabricgen show`: the counts of a cluster, without expanding it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.options import blueprint_argument, phase_option, reading_options

if TYPE_CHECKING:
    from fabricgen.design.fabric_model import FabricDesign
    from fabricgen.design.model import Design


@click.command()
@blueprint_argument
@reading_options
@phase_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(blueprint: str, sets: tuple[str, ...], allow_outside: bool, phase: str | None, form: str) -> None:
    """Count switches, links, cables and power of a BLUEPRINT without expanding it, unless at a phase."""
    import json

    from fabricgen.design.advice.switches import describe_power_basis
    from fabricgen.design.attach import list_unattached
    from fabricgen.design.summary import summarize_design
    from fabricgen.lint.engine import lint
    from fabricgen.pipeline import compile_cluster, compile_design

    design = compile_design(blueprint, sets, allow_outside=allow_outside)
    if phase is None:
        figures = summarize_design(design)
    else:
        from fabricgen.phases.summary import summarize_phase

        figures = summarize_phase(compile_cluster(design, phase, judged=True))
    figures |= {"findings": lint(design).counts}
    for fabric in design.fabrics:
        if fabric.name in figures["fabrics"]:
            figures["fabrics"][fabric.name] |= _list_choices(design, fabric)
    no_cable = dict.fromkeys(
        f"no cable: {', '.join(devices.missing)} of {devices.profile.id}" for devices in list_unattached(design)
    )
    click.echo(
        json.dumps(figures, indent=2)
        if form == "json"
        else _write_text(figures, list(no_cable), describe_power_basis(design))
    )


def _list_choices(design: Design, fabric: FabricDesign) -> dict[str, Any]:
    """Return what sizing chose beyond the fewest uplinks (`more_uplinks`), and which sizes the lock keeps
    (`kept_by_lock`).
    """
    from fabricgen.design.advice.choices import find_more_uplinks, list_kept_sizes

    chosen = {
        more.tier.name: {
            "uplinks": more.uplinks,
            "fewest_uplinks": more.fewest_uplinks,
            "upper": more.upper.name,
            "upper_switches": more.switches,
            "upper_switches_with_fewest": more.switches_with_fewest,
            "text": more.text,
        }
        for more in find_more_uplinks(design, fabric)
    }
    kept_sizes_of_fabric = [
        {
            "tier": size.tier.name,
            "part": size.part,
            "kept": size.kept,
            "anew": size.anew,
            "release": size.release,
            "text": size.text,
        }
        for size in list_kept_sizes(design)
        if size.tier.fabric == fabric.name
    ]
    return {
        **({"more_uplinks": chosen} if chosen else {}),
        **({"kept_by_lock": kept_sizes_of_fabric} if kept_sizes_of_fabric else {}),
    }


def _write_text(figures: dict[str, Any], no_cable: list[str], power: str) -> str:
    """Return the figures as text; `no_cable` are lines on links that no cable fits, `power` is a sentence on how the
    figure of power was reckoned.
    """
    at = f", phase {figures['phase']}" if "phase" in figures else ""
    spare = f" ({figures['spare_nodes']} spare)" if "spare_nodes" in figures else ""
    lines = [f"{figures['blueprint']}{at}: {figures['nodes']} nodes{spare}, {figures['accelerators']} accelerators"]
    lines += [
        f"  tenant {name}: {has['nodes']} nodes, {has['accelerators']} accelerators in {', '.join(has['fabrics'])}"
        for name, has in figures.get("tenants", {}).items()
    ]
    for name, fabric in figures["fabrics"].items():
        rails, planes = fabric["rails"], fabric["planes"]
        lines += ["", f"{name}: {rails} rail{'s' * (rails != 1)}, {planes} plane{'s' * (planes != 1)}"]
        for tier, count in fabric["switches"].items():
            ratio = fabric["oversubscription"].get(tier)
            lines.append(f"  {tier:<14}{count:>9} switches" + (f"{ratio:>9g}:1" if ratio is not None else ""))
        for key, links in fabric["links"].items():
            lines.append(f"  {key:<14}{links:>9} links{fabric['cables'][key]:>12} cables")
        lines += _list_spans(fabric)
        lines += [
            f"  {tier}: derived, {sizes['routers']} a group with {sizes['node_ports']} node ports and "
            f"{sizes['global_links']} global links each, {sizes['links']} of every two groups, {sizes['groups']} of at "
            f"most {sizes['most_groups']} groups"
            for tier, sizes in fabric.get("derived_groups", {}).items()
        ]
        lines += [
            f"  {tier}: kept for {purpose} on each switch: {', '.join(ports)}"
            for tier, kept_ports in fabric.get("reserved_ports", {}).items()
            for purpose, ports in kept_ports.items()
        ]
        lines += [f"  {more['text']}" for more in fabric.get("more_uplinks", {}).values()]
        kept_sizes = fabric.get("kept_by_lock", ())
        lines += [f"  {size['text']} (`fabricgen lock --release '{size['release']}'`)" for size in kept_sizes]
    for name, domain in figures["scale_up"].items():
        lines += [
            "",
            f"{name}: {domain['domains']} scale-up domains, {domain['accelerators']} accelerators",
            f"  {domain['switches']} switches, {domain['links']} links"
            + (f" in {domain['cables']} cables" if "cables" in domain else ""),
            f"  {domain['gbps_per_accelerator']:,} Gb/s an accelerator in each direction",
        ]
    lines += ["", *no_cable] if no_cable else []
    findings = figures["findings"]
    lines += ["", f"power {figures['power_w'] / 1000:,.1f} kW without optics", *([f"  {power}"] if power else [])]
    lines.append(
        f"design findings: {findings['error']} errors, {findings['warning']} warnings; `lint` judges the plan too"
    )
    return "\n".join(lines)


def _list_spans(fabric: dict[str, Any]) -> list[str]:
    """Return lines on spans between sites, and on the oversubscription of each site's nodes towards its spans."""
    lines = [
        f"  {name}: {span['sites'][0]} to {span['sites'][1]}, {span['km']} km, {span['links']} links, "
        f"{span['gbps']:,} Gb/s, {span['latency_us']:g} us one way, {span['fibre_pairs']} fibre pairs"
        for name, span in fabric.get("spans", {}).items()
    ]
    ratios = fabric.get("site_oversubscription", {})
    return lines + [f"  nodes of {site} to its spans: {ratio:g}:1" for site, ratio in ratios.items()]
