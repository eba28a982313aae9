"""The part of the switch model for its management, as far as its NOS can express it."""

from __future__ import annotations

from fabricgen.switch.model import SwitchManagement, SwitchUser
from fabricgen.views.asked import FEW_KEYS, FEW_RESOLVERS
from fabricgen.views.switch import SwitchView


def model_management(switch: SwitchView) -> SwitchManagement:
    """Return the management of a switch; if its NOS takes few keys and resolvers, only the first."""
    management, dialect = switch.fabric.management, switch.dialect
    addresses = frozenset((address, gateway) for address, gateway in switch.managements if gateway)
    syslog, dns, banner = management.syslog, management.dns, management.banner
    most_keys = 0 if switch.lacks("ssh-keys") else FEW_KEYS if switch.lacks("many-ssh-keys") else None
    most_resolvers = FEW_RESOLVERS if switch.lacks("many-resolvers") else None
    users = {} if switch.lacks("users") else management.users
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
        gnmi_port=(management.gnmi.port or switch.naming.systems.gnmi_port or 0) if management.gnmi else 0,
        login_banner=banner.login if banner else "",
        motd=banner.motd if banner else "",
        timezone=management.timezone or "",
        from_loopback=dialect.sources_servers and bool(switch.own_source and (management.ntp or dns or syslog)),
    )
