"""Write what is made from code and catalogue: schemas and reference pages.

Run it after changing models, rules or catalogue: `python tools/generate.py` writes, `--check` only says what is stale.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from fabricgen.blueprint.schema import SCHEMAS, make_blueprint_schema, write_schema_text
from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.nos_configuration import Intent, NosConfiguration
from fabricgen.catalog.profile import Power
from fabricgen.design.scale_up.domains import load_kind
from fabricgen.lint.docs import write_rules_page
from tools.published_collectives import collectives_page

ROOT = Path(__file__).resolve().parent.parent


def pages() -> dict[str, str]:
    """Path below the checkout -> content of everything that is generated."""
    return {
        **{f"schemas/{name}.schema.json": write_schema_text(name) for name in SCHEMAS},
        "docs/language.md": "\n".join(language_page()) + "\n",
        "docs/catalog.md": "\n".join(catalog_page()) + "\n",
        "docs/rules.md": write_rules_page(),
        "docs/collectives.md": "\n".join(collectives_page()) + "\n",
    }


def language_page() -> Iterator[str]:
    """The keys of a blueprint, model by model."""
    schema = make_blueprint_schema()
    models = schema["$defs"]
    yield "# The blueprint language"
    yield ""
    yield "Generated from the models by `tools/generate.py`; the examples in `blueprints/` show it in use."
    for name in ("Blueprint", *_order(schema)):
        yield from _model(name, models[name])


def _order(schema: dict[str, Any]) -> list[str]:
    """Definitions in the order in which a reader meets them."""
    seen: list[str] = []

    def visit(node: Any) -> None:
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).rpartition("/")[2]
            if name and name not in seen:
                seen.append(name)
                visit(schema["$defs"][name])
            for value in node.values():
                visit(value)
        elif isinstance(node, list):
            for value in node:
                visit(value)

    visit(schema["$defs"]["Blueprint"])
    return [name for name in seen if "properties" in schema["$defs"][name]]


def _model(name: str, model: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield f"## {name}"
    yield ""
    if model.get("description"):
        yield model["description"].replace("\n", " ")
        yield ""
    yield "| key | value | default | meaning |"
    yield "|---|---|---|---|"
    required = model.get("required", [])
    for key, field in model["properties"].items():
        default = "required" if key in required else _default(field)
        meaning = _escape(field.get("description", ""))
        yield f"| `{key}` | {_escape(_kind(field))} | {default} | {meaning} |"


def _default(field: dict[str, Any]) -> str:
    default = field.get("default")
    return "" if default in (None, [], {}) or isinstance(default, dict) else f"`{json.dumps(default)}`"


def _kind(field: dict[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for key in ("anyOf", "oneOf"):
        if key in field:
            # Names of the catalogue, an enumeration without a type, are on a page of their own.
            members = [f for f in field[key] if f.get("type") != "null" and ("type" in f or "enum" not in f)]
            return " or ".join(dict.fromkeys(map(_kind, members)))
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    kind = field.get("type", "")
    if kind == "array":
        return f"list of {_kind(field.get('items', {}))}"
    if kind == "object":
        values = field.get("additionalProperties") or next(iter(field.get("patternProperties", {}).values()), None)
        return f"map of {_kind(values)}" if isinstance(values, dict) else "map"
    examples = field.get("examples")
    shown = f" such as `{json.dumps(examples[0])}`" if examples else ""
    return (" or ".join(kind) if isinstance(kind, list) else kind) + shown


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _configurations(catalog: Catalog) -> Iterator[str]:
    """Per NOS, the places of snippets and what its configuration lacks."""
    known = [(nos, catalog.naming(nos).configuration) for nos in catalog.list_known_nos()]
    yield "## Network operating systems"
    yield ""
    yield "Places for snippets; the first of a form is where one goes that names none."
    yield ""
    yield "| NOS | place | form | where |"
    yield "|---|---|---|---|"
    for nos, configuration in known:
        for name, place in configuration.places.items():
            yield f"| `{nos}` | `{name}` | {place.form} | {place.about} |"
    yield ""
    yield "What a blueprint may ask for, and whether a NOS claims it: what is asked and not claimed is FG703."
    yield ""
    writing = [(nos, configuration) for nos, configuration in known if configuration.claims]
    yield f"| intent | {' | '.join(f'`{nos}`' for nos, _ in writing)} |"
    yield "|---" * (len(writing) + 1) + "|"
    for intent in get_args(Intent):
        yield f"| {intent} | {' | '.join(_claimed(c, intent) for _, c in writing)} |"
    yield ""
    yield "Why not, and what to do instead."
    yield ""
    yield "| NOS | intent | chips | why |"
    yield "|---|---|---|---|"
    for nos, configuration in known:
        for lack in configuration.lacks:
            yield f"| `{nos}` | {lack.intent} | {', '.join(lack.asics) or 'all'} | {lack.why} |"


def _claimed(configuration: NosConfiguration, intent: Intent) -> str:
    """Whether a NOS claims an intent, in a cell of a table."""
    on_some_chips = any(lack.intent == intent and lack.asics for lack in configuration.lacks)
    return "no" if intent not in configuration.claims else "by chip" if on_some_chips else "yes"


def catalog_page() -> Iterator[str]:
    """The profiles of the built-in catalogue."""
    catalog = Catalog()
    yield "# The catalogue"
    yield ""
    yield "Generated by `tools/generate.py`. `fabricgen catalog ID` shows a profile with its source."
    yield ""
    yield "## Switches"
    yield ""
    yield "| id | model | ASIC | cages | RU | W | latency ns | NOS | SONiC port table |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name in catalog.ids("switches"):
        switch = catalog.switch(name)
        cages = ", ".join(f"{c.count} x {c.speed_gbps}G {c.form_factor}" for c in switch.cages)
        cages += "".join(f"; {c.count} line cards of {c.cages}" for c in switch.line_cards)
        table = "yes" if catalog.sonic_platform(name) else ""
        yield (
            f"| `{name}` | {switch.vendor} {switch.model} | {switch.asic} | {cages} | {switch.rack_units} "
            f"| {_power(switch.power_w)} | {_figure(switch.latency_ns)} | {', '.join(switch.nos)} | {table} |"
        )
    yield ""
    yield "## Nodes"
    yield ""
    yield "| id | name | accelerators | ports by role | RU | W |"
    yield "|---|---|---|---|---|---|"
    for name in catalog.ids("nodes"):
        node = catalog.node(name)
        title = f"{node.name} (external)" if node.external else node.name
        held = f"{node.accelerators.count} x {node.accelerators.model}" if node.accelerators else ""
        roles = ", ".join(f"{r} {len(p.ports)} x {max(p.speeds)}G" for r, p in sorted(node.roles.items()))
        yield f"| `{name}` | {title} | {held} | {roles} | {node.rack_units} | {_power(node.power_w)} |"
    yield ""
    yield from _domains(catalog)
    yield ""
    yield from _racks(catalog)
    yield ""
    yield from _configurations(catalog)
    yield ""
    yield "## Cables and optics"
    yield ""
    yield "The cheapest that carries the lanes, fits the cages and reaches is taken, in this order."
    yield ""
    yield "| id | name | medium | lane Gb/s | reach m | chosen by itself |"
    yield "|---|---|---|---|---|---|"
    for cable in catalog.cables:
        lanes = ", ".join(f"{rate:g}" for rate in cable.lane_gbps)
        chosen = "yes" if cable.selectable else ""
        yield f"| `{cable.id}` | {cable.name} | {cable.medium} | {lanes} | {cable.reach_m:g} | {chosen} |"
    yield ""
    yield from _products(catalog)
    yield ""
    yield from _constants(catalog.constants())


def _products(catalog: Catalog) -> Iterator[str]:
    """Parts that can be ordered, list by list."""
    yield "## Product lists"
    yield ""
    yield "`cabling: {products: [...]}` orders from them (products.md); `{nnn}` and `{m}` stand for the length."
    for name in catalog.ids("products"):
        found = catalog.products(name)
        yield ""
        yield f"### `{name}`: {found.name}"
        yield ""
        yield "| part | kind | what it is | for | lengths m |"
        yield "|---|---|---|---|---|"
        for product in found.products:
            lengths = ", ".join(f"{length:g}" for length in product.lengths_m)
            yield f"| `{product.part}` | {product.kind} | {product.name} | {', '.join(product.media)} | {lengths} |"


def _constants(constants: ConstantsProfile) -> Iterator[str]:
    """What an analysis reckons with, table by table."""
    latency, efficiency = constants.latency, constants.efficiency
    yield "## Constants"
    yield ""
    yield f"`{constants.id}`: {constants.name}. `fabricgen catalog {constants.id}` has the source of each. A"
    yield "`catalog/constants/usual.yaml` beside a blueprint wins over them."
    yield ""
    yield "| steps of | protocol | start us | in a scale-up domain us | from NIC to NIC us | share of bandwidth |"
    yield "|---|---|---|---|---|---|"
    for name, algorithm in (("ring", latency.ring), ("tree", latency.tree), ("in switches", latency.in_switch)):
        for protocol, steps in algorithm.protocols:
            figures = (steps.launch_us, steps.scale_up_us, steps.nic_us, steps.bandwidth_share)
            yield f"| {name} | {protocol} | {' | '.join(map(_figure, figures))} |"
    yield ""
    yield "| latency | ns |"
    yield "|---|---|"
    yield f"| a metre of cable | {latency.medium.fibre_ns_per_m:g} |"
    for protocol, ns in latency.switches.ns.items():
        yield f"| a switch ({protocol}) without a figure of its own | {ns:g} |"
    yield ""
    yield "| of the bandwidth of | a ring reaches | an all-reduce in the switches carries | scale-up domains |"
    yield "|---|---|---|---|"
    yield f"| a network's line rate | {efficiency.network.reached:g} | | |"
    for kind, found in (*efficiency.scale_up.items(), ("every other scale-up link", efficiency.other)):
        yield f"| {kind} | {found.reached:g} | {_figure(found.in_switch)} | {', '.join(found.domains)} |"
    yield ""
    yield "| part | failed | of | in days | a part in a year | mean time between failures of one, hours |"
    yield "|---|---|---|---|---|---|"
    for part, seen in constants.failures.items():
        counted = f"{seen.failures} | {seen.parts:,} | {seen.days:g}"
        yield f"| {part} | {counted} | {seen.per_year:.4f} | {seen.mtbf_hours:,.0f} |"
    yield ""
    yield f"A straggler is {constants.stragglers.jitter_us:g} us late in a step unless one says otherwise."


def _figure(figure: float | None) -> str:
    """A figure, or nothing where it is not known."""
    return "" if figure is None else f"{figure:g}"


def _racks(catalog: Catalog) -> Iterator[str]:
    """Racks with their budgets."""
    yield "## Racks"
    yield ""
    yield "What is not stated is not judged. Fixed: what stands at rack units of its own."
    yield ""
    yield "| id | name | units | width x depth m | kg empty | kg complete | kg load | kW | air kW | liquid kW | fixed |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for name in catalog.ids("racks"):
        rack = catalog.rack(name)
        figures = (rack.weight_kg, rack.complete_kg, rack.load_kg, rack.power_kw, rack.air_kw, rack.liquid_kw)
        held = ", ".join(f"{len(places)} {what}" for what, places in rack.fixed.items())
        yield (
            f"| `{name}` | {rack.name} | {rack.units} | {rack.width_m:g} x {rack.depth_m:g} "
            f"| {' | '.join(map(_figure, figures))} | {held} |"
        )


def _power(power: Power) -> str:
    """The largest draw and the typical one, each with its name: `1720 at most (with optics), 747 typical`; 0 for what
    another's figure has in it.
    """
    if power.counted_in:
        return "0: in another's"
    about = {"maximum": "at most", "estimate": "estimated", "typical": "", "unknown": ""}
    kind, _, optics = power.basis.partition("-with-")
    most = f"{power.max:g} {about[kind]}{f' (with {optics})' if optics else ''}" if power.max else ""
    return ", ".join(filter(None, (most, f"{power.typical:g} typical" if power.typical else "")))


def _domains(catalog: Catalog) -> Iterator[str]:
    """Scale-up domains; those without a number of accelerators take as many as `per` holds."""
    yield "## Scale-up domains"
    yield ""
    yield "Without a number of accelerators, a domain takes as many as the blueprint's `per` holds, if its switches do."
    yield ""
    yield "| id | name | shape | accelerators | switches | link Gb/s | Gb/s an accelerator, each direction |"
    yield "|---|---|---|---|---|---|---|"
    for name in catalog.ids("scale_up"):
        domain = catalog.scale_up(name)
        held = domain.accelerators or 64
        each = load_kind(domain, ()).size(domain, held, 0).links_each * domain.link_gbps
        grows = domain.shape == "mesh" and not domain.accelerators
        yield (
            f"| `{name}` | {domain.name} | {domain.shape} | {domain.accelerators or ''} | {domain.switches or ''} "
            f"| {domain.link_gbps:g} | {'' if grows else f'{each:g}'} |"
        )


def main() -> int:
    """Write or check everything; returns how much was stale."""
    check = "--check" in sys.argv[1:]
    stale = list(_stale(pages(), check))
    for path in stale:
        print(f"{path} is stale" if check else f"{path} written")  # noqa: T201 - a script that reports
    return len(stale) if check else 0


def _stale(made: dict[str, str], check: bool) -> Iterator[str]:
    """Paths of what has changed, which is written unless it is only checked."""
    for path, text in made.items():
        file = ROOT / path
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            if not check:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            yield path


if __name__ == "__main__":
    sys.exit(main())
