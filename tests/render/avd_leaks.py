"""Leaks between VRFs in what AVD is told of a switch: targets of the VPN table, lists and maps."""

from __future__ import annotations

from typing import Any, TypeAlias

from fabricgen.views.switch import SwitchView

Structured: TypeAlias = dict[str, Any]

MARK = "4294967294"


def with_leaks(switch: SwitchView, found: Structured) -> Structured:
    """Routing with what is brought from VRF to VRF: of the VPN table, over EVPN of that, where own routes pass, too."""
    leaks = [leaked for leaked in switch.leaks if leaked.sources]
    if not leaks:
        return found
    bgp = found["router_bgp"]
    found["as_path"] = found.get("as_path", {"access_lists": []})
    entry = {"type": "permit", "match": f"_{MARK}_", "origin": "any"}
    found["as_path"]["access_lists"].append({"name": "LEAKED", "entries": [entry]})
    found["ip_extcommunity_lists"] = [
        {
            "name": f"VRF-{one.vrf or 'default'}",
            "entries": [{"type": "permit", "extcommunities": f"rt {_target(switch, one)}"}],
        }
        for one in leaks
    ]
    for leaked in leaks:
        name = leaked.vrf or "default"
        over = _over_evpn(switch, leaked.vrf)
        entries: list[Structured] = [{"sequence": 5, "type": "deny", "match": ["as-path LEAKED"]}]
        own_first = [{"sequence": 7, "type": "permit", "match": [f"extcommunity VRF-{name}"]}] if over else []
        imports, families = [], [word for word in ("v4", "v6") if word in switch.fabric.families]
        for family in families:
            word, six = ("ipv6", "6") if family == "v6" else ("ip", "")
            targets = []
            for source in leaked.sources:
                mine = [prefix for prefix in source.prefixes if (":" in prefix) == bool(six)]
                if mine:
                    list_ = f"LEAKED{six}-{name}-{source.vrf or 'default'}"
                    lists = found["ipv6_prefix_lists" if six else "prefix_lists"]
                    lists.append({"name": list_, "sequence_numbers": _permits(mine, 127 if six else 31)})
                    match = [f"extcommunity VRF-{source.vrf or 'default'}", f"{word} address prefix-list {list_}"]
                    row = {"sequence": 10 * len(entries), "type": "permit", "match": match}
                    entries.append({**row, "set": [f"as-path prepend {MARK}"]})
                    targets.append(_target(switch, source))
            imports.append(
                {"address_family": f"vpn-ip{family}", "route_targets": targets, "route_map": f"LEAKED-{name}"}
            )
        found["route_maps"].append(
            {"name": f"LEAKED-{name}", "sequence_numbers": [entries[0], *own_first, *entries[1:]]}
        )
        exports = [
            {"address_family": f"vpn-ip{family}", "route_targets": [_target(switch, leaked)]} for family in families
        ]
        own = {"rd": f"{switch.router_id}:{leaked.number}", "route_targets": {"import": imports, "export": exports}}
        known = [vrf for vrf in bgp["vrfs"] if vrf["name"] == name]
        if over:
            (taken,) = known[0]["route_targets"]["import"]
            sources = [_target(switch, source) for source in leaked.sources]
            known[0]["route_targets"]["import"] = [
                {**taken, "route_targets": [*taken["route_targets"], *sources], "route_map": f"LEAKED-{name}"}
            ]
        elif known:
            known[0].update(own)
        else:
            bgp["vrfs"].append({"name": name, **own})
    return found


def _over_evpn(switch: SwitchView, vrf: str) -> int:
    return switch.overlay.vrfs[vrf].vni if switch.overlay and vrf in switch.overlay.vrfs else 0


def _target(switch: SwitchView, of: Any) -> str:
    number = _over_evpn(switch, of.vrf) or of.number
    return f"{number}:{number}"


def _permits(prefixes: list[str], longest: int) -> list[Structured]:
    return [
        {"sequence": 10 * n, "action": f"permit {p}{f' le {longest}' if int(p.partition('/')[2]) < longest else ''}"}
        for n, p in enumerate(prefixes, 1)
    ]
