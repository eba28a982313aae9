"""Makes the model of a switch: what its files must say, in terms that belong to no NOS.

`adopt` alone asks for the whole of it, and compares it with what a switch runs. Writers ask for its parts one by one
(`model_qos`, `model_bgp`, ...); `check --running` compares text with text, and reads models back from that.
"""

from __future__ import annotations

from dataclasses import replace

from fabricgen.catalog.loader import Catalog
from fabricgen.switch.interfaces import separate_unused
from fabricgen.switch.model import Switch, SwitchManagement, SwitchUser
from fabricgen.views.asked import FEW_KEYS, FEW_RESOLVERS
from fabricgen.views.model.forwarding import model_balancing, model_qos, model_trimming
from fabricgen.views.model.hosts import model_vlan
from fabricgen.views.model.ports import model_bonds, model_interface, place_ports
from fabricgen.views.model.routing import (
    discard_host_blocks,
    is_routed_by_daemon,
    list_announced_prefixes,
    list_loopback_prefixes,
    model_bgp,
    model_own_daemon,
    model_srv6,
)
from fabricgen.views.switch import SwitchView


def model_switch(view: SwitchView, catalog: Catalog) -> Switch:
    """Return the model of a switch; secrets are those of the view, or references if these were not resolved.

    Whatever its NOS lacks, by the catalogue, is left out, except a class of RoCE and its ECN thresholds: `lint` says so
    to the blueprint's author (FG703). Raises LookupError
    for a NOS that names ports by a port table that the catalogue does not have.
    """
    used, unused = separate_unused({port.name: model_interface(view, port) for port in view.ports})
    instances, by_daemon = model_bgp(view) if view.asn else {}, is_routed_by_daemon(view)
    bgp = {
        vrf: replace(instance_of_vrf, announced=list_announced_prefixes(view, vrf))
        for vrf, instance_of_vrf in instances.items()
    }
    return Switch(
        hostname=view.name,
        interfaces=used,
        unused=unused | place_ports(view, catalog).keys() - used.keys(),
        loopbacks=frozenset(list_loopback_prefixes(view)),
        vrf_loopbacks={loopback.vrf: frozenset(loopback.prefixes) for loopback in view.vrf_loopbacks},
        management=model_management(view),
        subinterfaces={(port.name, sub.vlan): sub for port in view.ports for sub in port.subinterfaces},
        vlans={service.vlan: model_vlan(view, service) for service in view.services if service.gateways},
        bonds=model_bonds(view),
        pair=view.pair,
        vrfs=frozenset(view.vrfs),
        bgp={vrf: model_own_daemon(view, vrf, instance_of_vrf) for vrf, instance_of_vrf in bgp.items()}
        if by_daemon
        else bgp,
        routes=discard_host_blocks(view) if by_daemon else {**view.routes, **view.exits.routes},
        drained=view.maintenance and any(instance.peers for instance in bgp.values()),
        qos=model_qos(view),
        overlay=view.overlay,
        balancing=model_balancing(view),
        srv6=None if view.lacks("srv6") else model_srv6(view),
        trimming=model_trimming(view),
    )


def model_management(view: SwitchView) -> SwitchManagement:
    """Return the management of a switch; if its NOS takes few keys and resolvers, only the first."""
    management, dialect = view.fabric.management, view.dialect
    addresses = frozenset((address, gateway) for address, gateway in view.managements if gateway)
    syslog, dns, banner = management.syslog, management.dns, management.banner
    # how many an account gets: none, the few that the NOS takes, or all (None)
    most_keys = 0 if view.lacks("ssh-keys") else FEW_KEYS if view.lacks("many-ssh-keys") else None
    most_resolvers = FEW_RESOLVERS if view.lacks("many-resolvers") else None
    users = {} if view.lacks("users") else management.users
    accounts = {n: SwitchUser(u.password or "", frozenset(u.ssh_keys[:most_keys]), u.role) for n, u in users.items()}

    def order_servers(servers: tuple[str, ...]) -> tuple[str, ...]:
        """Return servers as stated if the NOS asks them in order, else sorted, so that their order has no effect."""
        return servers if dialect.ranks_servers else tuple(sorted(servers))

    return SwitchManagement(
        addresses=addresses,
        users=accounts,
        aaa=tuple((management.aaa.protocol, server) for server in management.aaa.servers) if management.aaa else (),
        ntp=order_servers(management.ntp),
        dns=order_servers(dns.servers[:most_resolvers]) if dns else (),
        domain=(dns.domain or "") if dns else "",
        syslog=order_servers(syslog.servers) if syslog else (),
        syslog_level=syslog.level if syslog and syslog.servers else "",
        snmp_users=frozenset(management.snmp.users) if management.snmp else frozenset(),
        gnmi_port=(management.gnmi.port or view.naming.systems.gnmi_port or 0) if management.gnmi else 0,
        login_banner=banner.login if banner else "",
        motd=banner.motd if banner else "",
        timezone=management.timezone or "",
        from_loopback=dialect.sources_servers and bool(view.own_source and (management.ntp or dns or syslog)),
    )
