"""FG703: the NOS does not support a setting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from fabricgen.blueprint.sections.fabric import Fabric, SpanSpec
from fabricgen.blueprint.sections.management import Management
from fabricgen.blueprint.sections.qos import Qos
from fabricgen.blueprint.sections.routing import Routing
from fabricgen.catalog.nos_configuration import Feature
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.design.qos import qos_of
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.views.balancing import stated_balancing
from fabricgen.views.host_services import host_services
from fabricgen.views.sonic_names import takes_file_names, takes_snmp_user

USUAL_LIFETIME_S = 1800
"""For which hosts keep a default router, where nothing is stated."""

FEW_KEYS = 2
"""SSH keys of an account that every NOS supports."""

OF_SPANS: tuple[Feature, ...] = ("macsec", "span-headroom")
"""Asked of the border switches of spans alone."""

FEW_RESOLVERS = 3
"""Resolvers that every NOS supports."""


class IntentNotCarried(DesignRule):
    """A switch runs a NOS whose configuration cannot express what the blueprint asks for.

    The rest of the configuration is complete. A missing account, or a limit that nothing enforces, is otherwise
    only noticed when it is needed. Do it by other means, as the finding says, or choose another NOS. The catalogue
    (platforms/NOS.yaml) lists what each NOS lacks.
    """

    id = "FG703"
    severity = Severity.WARNING
    title = "the NOS does not support a setting"
    bad = """
        routing:
          load_balance: dynamic  # <-
    """
    good = """
        routing: {load_balance: hash}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the features asked of each fabric with those that the NOS of each tier lacks."""
        found: dict[tuple[Path, str, Feature, str], list[str]] = defaultdict(list)
        for fabric in design.fabrics:
            if fabric.protocol == "infiniband":
                continue
            for feature, place in _features_asked(design, fabric):
                for tier in fabric.tiers:
                    if feature in OF_SPANS and not (tier.peer_links and tier.peer_links.spans):
                        continue
                    known = design.catalog.naming(tier.nos, tier.path).configuration
                    lack = known.lack(feature, tier.profile.asic)
                    why = lack.why if lack else _unpublished(design, tier, feature)
                    if why:
                        found[place, tier.nos, feature, why].append(f"{fabric.name} {tier.name}")
        for (place, nos, feature, why), tiers in found.items():
            yield self.flag(place, f"{nos} of {', '.join(dict.fromkeys(tiers))} does not support {feature}", why)


def _unpublished(design: Design, tier: TierDesign, feature: Feature) -> str:
    """Why a chip that has a feature is not asked for it: SONiC trims by buffers, which a port table may not have."""
    if feature != "packet-trim" or tier.nos != "sonic":
        return ""
    table = design.catalog.sonic_platform(tier.profile.id)
    if table is None or all(table.lossy_buffers_of(hwsku) for hwsku in table.hwskus):
        return ""
    return "a queue is trimmed by its buffers, and the port table has none of a best-effort switch (lossy_buffers)"


def _features_asked(design: Design, fabric: FabricDesign) -> Iterator[tuple[Feature, Path]]:
    """Features that the blueprint asks of the switches of a fabric, and where; its settings override the cluster's."""
    blueprint = design.loaded.blueprint
    spec = blueprint.fabrics[fabric.name]
    seen: set[Feature] = set()
    shared = blueprint.routing
    if spec.routing.load_balance:
        shared = shared.model_copy(update={"load_balance": None})
    scopes: tuple[tuple[Path, Management, Routing, Qos], ...] = (
        (fabric.path, spec.management, spec.routing, spec.qos),
        ((), blueprint.management, shared, blueprint.qos),
    )
    yield from ((feature, (*fabric.path, *keys)) for feature, keys in _span_features(spec.spans))
    owner = fabric.carrier or fabric.name
    if qos_of(design, fabric).lossless and any(name == owner for name, _ in design.vnis):
        own: Path = ("fabrics", owner) if blueprint.fabrics[owner].routing.overlay else ()
        yield "vxlan-dscp", (*own, "routing", "overlay")
    for feature, keys in _host_features(spec, routed=fabric.hosts == "routed"):
        yield feature, (*fabric.path, *keys)
    for base, management, routing, qos in scopes:
        stated = [*_management_features(management), *_routing_features(routing), *_qos_features(qos)]
        for feature, keys in stated:
            if feature not in seen:
                yield feature, (*base, *keys)
        seen |= {feature for feature, _ in stated}


def _span_features(spans: Mapping[str, SpanSpec]) -> Iterator[tuple[Feature, Path]]:
    for name, span in spans.items():
        if span.macsec:
            yield "macsec", ("spans", name, "macsec")
        if span.lossless:
            yield "span-headroom", ("spans", name, "lossless")


def _host_features(spec: Fabric, *, routed: bool) -> Iterator[tuple[Feature, Path]]:
    if spec.access.bpdu_guard:
        yield "bpdu-guard", ("access", "bpdu_guard")
    if spec.dhcp and not spec.dhcp.option_82:
        yield "no-option-82", ("dhcp", "option_82")
    if spec.dhcp and routed:
        yield "relay-on-routed-ports", ("dhcp",)
    at, offers = ("router_advertisements",), host_services(spec)
    if offers.advertised and offers.advertised.lifetime_s != USUAL_LIFETIME_S:
        yield "ra-lifetime", (*at, "lifetime_s")
    if (own := offers.advertised) and (own.other or own.autoconfig or own.resolvers or not own.managed):
        yield "ra-settings", at


def _management_features(management: Management) -> Iterator[tuple[Feature, Path]]:
    at = ("management",)
    if management.users:
        yield "users", (*at, "users")
    keyed = [name for name, user in management.users.items() if user.ssh_keys]
    if keyed:
        yield "ssh-keys", (*at, "users", keyed[0], "ssh_keys")
    many = [name for name in keyed if len(management.users[name].ssh_keys) > FEW_KEYS]
    if many:
        yield "many-ssh-keys", (*at, "users", many[0], "ssh_keys")
    if management.dns and len(management.dns.servers) > FEW_RESOLVERS:
        yield "many-resolvers", (*at, "dns", "servers")
    if management.dns and management.dns.domain and not management.dns.servers:
        yield "domain-alone", (*at, "dns", "domain")
    if management.tls and not takes_file_names(management.tls):
        yield "tls-file-names", (*at, "tls")
    for name in management.snmp.users if management.snmp else ():
        if not takes_snmp_user(name):
            yield "short-snmp-users", (*at, "snmp", "users", name)
    if management.aaa:
        yield management.aaa.protocol, (*at, "aaa")
    plain: tuple[Feature, ...] = ("ntp", "dns", "syslog", "snmp", "gnmi", "tls", "banner", "timezone")
    for feature in plain:
        if getattr(management, feature):
            yield feature, (*at, feature)


def _routing_features(routing: Routing) -> Iterator[tuple[Feature, Path]]:
    if routing.bfd:
        yield "bfd", ("routing", "bfd")
    if routing.max_prefixes:
        yield "max-prefixes", ("routing", "max_prefixes")
    if routing.load_balance:
        yield from _balancing_features(routing, ("routing", "load_balance"))


_OF_MODE: dict[str, Feature] = {
    "dynamic": "dynamic-load-balance",
    "spray": "packet-spray",
    "cluster": "cluster-load-balance",
}


def _balancing_features(routing: Routing, at: Path) -> Iterator[tuple[Feature, Path]]:
    asked = stated_balancing(routing, routing)
    if asked.mode in _OF_MODE:
        yield _OF_MODE[asked.mode], at if isinstance(routing.load_balance, str) else (*at, "mode")
    if asked.queue_pairs:
        yield "hash-queue-pairs", (*at, "queue_pairs")
    if asked.seeds:
        yield "seeds-by-tier" if asked.seeds == "auto" else "hash-seeds", (*at, "seeds")


def _qos_features(qos: Qos) -> Iterator[tuple[Feature, Path]]:
    if qos.cnp_max_percent:
        yield "cnp-shaping", ("qos", "cnp_max_percent")
    if qos.trim:
        yield "packet-trim", ("qos", "trim")
    if qos.watchdog and qos.watchdog.action == "forward":
        yield "watchdog-forward", ("qos", "watchdog", "action")
    if qos.watchdog and "restore_ms" in qos.watchdog.model_fields_set:
        yield "watchdog-restore", ("qos", "watchdog", "restore_ms")
