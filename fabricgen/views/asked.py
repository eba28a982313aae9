"""What a blueprint asks of the configurations of its switches: intents, and the tiers that must carry them.

The catalogue says which intents a NOS claims (`configuration.claims` in `catalog/platforms/NOS.yaml`); the rule FG703
compares the two. InfiniBand fabrics ask for nothing here, since their switches are configured as a whole.

Names that a NOS's models refuse are not written, since the switch would refuse the rest of the file too. Sources:
sonic-buildimage, src/sonic-yang-models/yang-models: sonic-snmp.yang (SNMP_USER name), sonic-gnmi.yang.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.blueprint.sections.management import Management, Tls
from fabricgen.blueprint.sections.qos import THRESHOLDS, Qos
from fabricgen.blueprint.sections.routing import Routing
from fabricgen.catalog.nos_configuration import Intent
from fabricgen.design.extras.exits import ExitDesign, list_exits
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.linked import find_fabric_overlay, is_multihomed
from fabricgen.design.model import Design
from fabricgen.design.qos import resolve_qos
from fabricgen.design.srv6 import find_srv6
from fabricgen.kernel.diagnostics import Path
from fabricgen.numbering.underlay import find_underlay, links_carry_vrfs, list_families
from fabricgen.views.balancing import find_balancing
from fabricgen.views.service import make_host_services

SHORTEST_SNMP_USER = 4
"""Characters of the shortest name of a user of SNMPv3; the language's longest, 31, is within SONiC's 32."""

_STEM = "[A-Za-z0-9_-]+"


def takes_snmp_user(name: str) -> bool:
    """Whether SONiC accepts the name of a user of SNMPv3."""
    return len(name) >= SHORTEST_SNMP_USER


def takes_file_names(tls: Tls) -> bool:
    """Whether SONiC accepts the file names of a certificate and its key."""
    return bool(re.fullmatch(rf"{_STEM}\.cer", tls.certificate) and re.fullmatch(rf"{_STEM}\.key", tls.key))


IntentKeys: TypeAlias = Iterator[tuple[Intent, Path]]
"""Intents, and the keys below the section's own place that ask for them."""

USUAL_LIFETIME_S = 1800
"""For which hosts keep a default router, where nothing is stated."""

FEW_KEYS = 2
"""SSH keys of an account that every NOS supports."""

FEW_RESOLVERS = 3
"""Resolvers that every NOS supports."""

_UNDERLAYS: dict[str, Intent] = {
    "ebgp-numbered": "numbered-bgp",
    "ebgp-unnumbered": "unnumbered-bgp",
    "static": "static-routes",
    "srv6": "srv6",
    "none": "bare-links",
}
_HOSTS: dict[str, Intent] = {
    "routed": "routed-hosts",
    "bridged": "bridged-hosts",
    "rail-subnets": "bridged-hosts",
}
_MODES: dict[str, Intent] = {
    "dynamic": "dynamic-load-balance",
    "spray": "packet-spray",
    "cluster": "cluster-load-balance",
}


class AskedIntent(NamedTuple):
    """An intent, the blueprint path that asks for it, and the tiers whose switches must carry it."""

    intent: Intent
    path: Path
    tiers: tuple[TierDesign, ...]


def list_asked_intents(design: Design) -> Iterator[AskedIntent]:
    """Yield what the blueprint asks of the switches of each Ethernet fabric, fabric by fabric."""
    for fabric in design.fabrics:
        if fabric.protocol != "infiniband":
            yield from _list_link_intents(design, fabric)
            yield from _list_host_intents(design, fabric)
            yield from _list_vrf_intents(design, fabric)
            yield from _list_setting_intents(design, fabric)
    for exit_ in list_exits(design):
        if exit_.fabric.protocol != "infiniband":
            tiers = (design.tier(exit_.extra.tier),)
            for intent, keys in _list_exit_intents(exit_):
                yield AskedIntent(intent, (*exit_.path, *keys), tiers)


def _locate_setting(design: Design, fabric: str, read_setting: Callable[[Fabric], object], keys: Path) -> Path:
    """Return the path of a setting: in the fabric if `read_setting` finds it there, else in the cluster; `keys` are its
    path below either.
    """
    return ("fabrics", fabric, *keys) if read_setting(design.loaded.blueprint.fabrics[fabric]) else keys


def _list_link_intents(design: Design, fabric: FabricDesign) -> Iterator[AskedIntent]:
    """Yield the intents of links between switches."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    linked_tiers = tuple(
        tier for tier in fabric.tiers if tier.uplink or tier.links_inside or any(f.links for f in tier.feeds)
    )
    if linked_tiers:
        word = find_underlay(design, fabric)
        stated_underlay = spec.routing.underlay or design.loaded.blueprint.routing.underlay
        path = _locate_setting(design, fabric.name, lambda f: f.routing.underlay, ("routing", "underlay"))
        yield AskedIntent(_UNDERLAYS[word], path if stated_underlay else fabric.path, linked_tiers)
        if word == "srv6" and find_srv6(design, fabric).links:
            links = ("routing", "srv6", "links")
            yield AskedIntent(
                "srv6-links", _locate_setting(design, fabric.name, lambda f: f.routing.srv6, links), linked_tiers
            )
    bordering = tuple(tier for tier in fabric.tiers if tier.spans)
    for name, span in spec.spans.items():
        if span.macsec:
            yield AskedIntent("macsec", (*fabric.path, "spans", name, "macsec"), bordering)
        if span.lossless:
            yield AskedIntent("span-headroom", (*fabric.path, "spans", name, "lossless"), bordering)


def _list_host_intents(design: Design, fabric: FabricDesign) -> Iterator[AskedIntent]:
    """Yield what a fabric asks of the tiers that its hosts attach to: nodes, extra devices and management ports of
    switches.

    The tiers may be those of another fabric, which carries this one.
    """
    spec = design.loaded.blueprint.fabrics[fabric.name]
    tier_keys = dict.fromkeys(
        (*fabric.leaves, *(e.tier for e in fabric.extras), *(tier.key for tier in fabric.managing))
    )
    tiers = tuple(map(design.tier, tier_keys))
    if fabric.hosts in _HOSTS:
        path = (*fabric.path, "hosts") if spec.hosts else fabric.path
        yield AskedIntent(_HOSTS[fabric.hosts], path, tiers)
    if "v6" in list_families(design, fabric):
        # every switch routes the family, those without hosts as well
        routing = tuple({tier.key: tier for tier in (*fabric.tiers, *tiers)}.values())
        yield AskedIntent("ipv6", _locate_setting(design, fabric.name, lambda f: f.ip, ("ip",)), routing)
    if fabric.tagged:
        yield AskedIntent("tagged-hosts", (*fabric.path, "host_ports"), tiers)
    if fabric.bond:
        yield AskedIntent("bonds", (*fabric.path, "bond"), tiers)
        # a bond over two switches is by EVPN multihoming where the tier states it, else by MLAG
        over_two = tuple(t for t in tiers if is_multihomed(design.loaded.blueprint, t.key))
        yield AskedIntent("evpn-multihoming", (*fabric.path, "bond"), over_two)
        paired = tuple(t for t in tiers if t not in over_two and t.peer_links)
        yield AskedIntent("mlag", (*fabric.path, "bond"), paired)
    for intent, path_in_fabric in _list_host_features(spec, routed=fabric.hosts == "routed"):
        yield AskedIntent(intent, (*fabric.path, *path_in_fabric), tiers)


def _list_vrf_intents(design: Design, fabric: FabricDesign) -> Iterator[AskedIntent]:
    """Yield what the VRFs of a fabric, its own and those of tenants in it, and its leaks ask of switches.

    VRFs are asked of all tiers of the fabric that has the switches: its carrier if it is carried, else itself.
    """
    blueprint = design.loaded.blueprint
    owner = design.fabric(fabric.carrier or fabric.name)
    paths = [tenant.path for tenant in design.tenants if fabric.name in tenant.fabrics]
    if fabric.vrf:
        paths.append((*fabric.path, "vrf") if blueprint.fabrics[fabric.name].vrf else fabric.path)
    for path in paths:
        yield AskedIntent("vrfs", path, owner.tiers)
        if find_fabric_overlay(blueprint, fabric.name) == "evpn":
            at = _locate_setting(design, owner.name, lambda f: f.routing.overlay, ("routing", "overlay"))
            yield AskedIntent("evpn-vrfs", at, owner.tiers)
        elif links_carry_vrfs(design, owner):
            yield AskedIntent("vrf-subinterfaces", path, owner.tiers)
    if resolve_qos(design, fabric).marks and any(name == owner.name for name, _ in design.vnis):
        at = _locate_setting(design, owner.name, lambda f: f.routing.overlay, ("routing", "overlay"))
        yield AskedIntent("vxlan-dscp", at, fabric.tiers)
    for leak in design.leaks:
        if fabric.name in leak.fabrics:
            yield AskedIntent("leaks", ("leaks", leak.name), fabric.tiers)


def _list_setting_intents(design: Design, fabric: FabricDesign) -> Iterator[AskedIntent]:
    """Yield what the settings of a fabric, and those of the cluster that hold in it, ask of all its switches."""
    blueprint = design.loaded.blueprint
    spec, shared = blueprint.fabrics[fabric.name], blueprint.routing
    if (qos := resolve_qos(design, fabric)).marks:
        stated_profile = spec.qos.profile or blueprint.qos.profile
        path = _locate_setting(design, fabric.name, lambda f: f.qos.profile, ("qos", "profile"))
        yield AskedIntent(
            "lossless" if qos.lossless else "roce-lossy", path if stated_profile else fabric.path, fabric.tiers
        )
    replaced = {name: None for name in ("load_balance", "weights") if getattr(spec.routing, name)}
    shared = shared.model_copy(update=replaced)
    scopes: tuple[tuple[Path, Management, Routing, Qos], ...] = (
        (fabric.path, spec.management, spec.routing, spec.qos),
        ((), blueprint.management, shared, blueprint.qos),
    )
    # the fabric's own come first: what it states is not asked for by the cluster as well
    overridden: set[Intent] = set()
    for base, management, routing, stated_qos in scopes:
        stated_here = [
            *_list_management_features(management),
            *_list_routing_features(routing),
            *_list_qos_features(stated_qos),
        ]
        for intent, keys in stated_here:
            if intent not in overridden:
                yield AskedIntent(intent, (*base, *keys), fabric.tiers)
        overridden |= {intent for intent, _ in stated_here}


def _list_exit_intents(exit_: ExitDesign) -> IntentKeys:
    """Yield (intent, path below the exit) of what an exit asks."""
    spec = exit_.spec
    yield ("bgp-exits" if spec.routing == "ebgp" else "static-exits"), ()
    if spec.password or any(device.password for device in spec.devices.values()):
        yield "session-passwords", ("password",) if spec.password else ()
    if any(device.loopback for device in spec.devices.values()):
        yield "multihop-sessions", ("devices",)
    if spec.local_as:
        yield "local-as", ("local_as",)
    if spec.announce:
        yield "aggregates", ("announce",)
    if spec.communities:
        yield "communities", ("communities",)
    if spec.bfd:
        yield "bfd", ("bfd",)


def _list_host_features(spec: Fabric, *, routed: bool) -> IntentKeys:
    """Yield (intent, path below the fabric) of what the host ports of a fabric ask.

    `routed`: whether its hosts are routed, so that DHCP is relayed at ports and not at VLANs.
    """
    storm = spec.access.storm_control
    if any(percent is not None for percent in (storm.broadcast, storm.multicast, storm.unknown_unicast)):
        yield "storm-control", ("access", "storm_control")
    if spec.access.bpdu_guard:
        yield "bpdu-guard", ("access", "bpdu_guard")
    if spec.access.dhcp_guard:
        yield "dhcp-guard", ("access", "dhcp_guard")
    if spec.access.ra_guard:
        yield "ra-guard", ("access", "ra_guard")
    if spec.lacp_fallback:
        yield "lacp-fallback", ("lacp_fallback",)
    if spec.dhcp:
        yield "dhcp-relay", ("dhcp",)
        if not spec.dhcp.option_82:
            yield "no-option-82", ("dhcp", "option_82")
        if routed:
            yield "relay-on-routed-ports", ("dhcp",)
    at, advertised = ("router_advertisements",), make_host_services(spec).advertised
    if spec.router_advertisements is not None:
        yield "router-advertisements", at
    if advertised and advertised.lifetime_s != USUAL_LIFETIME_S:
        yield "ra-lifetime", (*at, "lifetime_s")
    if advertised and (advertised.other or advertised.autoconfig or advertised.resolvers or not advertised.managed):
        yield "ra-settings", at


def _list_management_features(management: Management) -> IntentKeys:
    """Yield (intent, path) of what management asks; numbers and lengths that some NOSes refuse are intents too."""
    path = ("management",)
    if management.users:
        yield "users", (*path, "users")
    users_with_keys = [name for name, user in management.users.items() if user.ssh_keys]
    if users_with_keys:
        yield "ssh-keys", (*path, "users", users_with_keys[0], "ssh_keys")
    users_of_many_keys = [name for name in users_with_keys if len(management.users[name].ssh_keys) > FEW_KEYS]
    if users_of_many_keys:
        yield "many-ssh-keys", (*path, "users", users_of_many_keys[0], "ssh_keys")
    if management.dns and len(management.dns.servers) > FEW_RESOLVERS:
        yield "many-resolvers", (*path, "dns", "servers")
    if management.dns and management.dns.domain and not management.dns.servers:
        yield "domain-alone", (*path, "dns", "domain")
    if management.tls and not takes_file_names(management.tls):
        yield "tls-file-names", (*path, "tls")
    for name in management.snmp.users if management.snmp else ():
        if not takes_snmp_user(name):
            yield "short-snmp-users", (*path, "snmp", "users", name)
    if management.aaa:
        yield management.aaa.protocol, (*path, "aaa")
    settings_with_intent: tuple[Intent, ...] = ("ntp", "dns", "syslog", "snmp", "gnmi", "tls", "banner", "timezone")
    for intent in settings_with_intent:
        if getattr(management, intent):
            yield intent, (*path, intent)


def _list_routing_features(routing: Routing) -> IntentKeys:
    """Yield (intent, path) of what routing asks."""
    if routing.bfd:
        yield "bfd", ("routing", "bfd")
    if routing.max_prefixes:
        yield "max-prefixes", ("routing", "max_prefixes")
    if routing.weights == "link-bandwidth":
        yield "link-bandwidth", ("routing", "weights")
    if routing.load_balance:
        yield from _list_balancing_features(routing, ("routing", "load_balance"))


def _list_balancing_features(routing: Routing, at: Path) -> IntentKeys:
    """Yield (intent, path) of what the choice among equal paths asks."""
    balancing = find_balancing(routing, routing)
    if balancing.mode in _MODES:
        yield _MODES[balancing.mode], at if isinstance(routing.load_balance, str) else (*at, "mode")
    if balancing.queue_pairs:
        yield "hash-queue-pairs", (*at, "queue_pairs")
    if balancing.seeds:
        yield "seeds-by-tier" if balancing.seeds == "auto" else "hash-seeds", (*at, "seeds")


def _list_qos_features(qos: Qos) -> IntentKeys:
    """Yield (intent, path) of what QoS asks beyond the profile."""
    if qos.cnp_max_percent:
        yield "cnp-shaping", ("qos", "cnp_max_percent")
    stated = next((field for field in THRESHOLDS if getattr(qos, field)), "")
    if stated:
        yield "ecn-thresholds", ("qos", stated)
    if qos.trim:
        yield "packet-trim", ("qos", "trim")
    if qos.watchdog and qos.watchdog.action == "forward":
        yield "watchdog-forward", ("qos", "watchdog", "action")
    times: tuple[tuple[str, Intent], ...] = (("restore_ms", "watchdog-restore"), ("poll_ms", "watchdog-poll"))
    for field, intent in times:
        if qos.watchdog and field in qos.watchdog.model_fields_set:
            yield intent, ("qos", "watchdog", field)
