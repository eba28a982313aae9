"""FG826: tenants on a subnet whose ports have no management key."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.tenants.fg825_default_partition_joins_tenants import list_subnets_with_tenants


class NoManagementKeys(DesignRule):
    """Tenants are kept apart by P_Keys, and opensm's files set no M_Key.

    Without an M_Key ports take any subnet management packet: root on one node may write the P_Key tables of others, and
    of its own leaf (NVIDIA InfiniBand - Security Overview and Guidelines, Practical Guidelines, asks for a key of each
    port besides partitions). UFM's subnet manager has such keys (`m_key_per_port`), and its files here ask for them;
    opensm 3.3 has one for all (`m_key`, `m_key_protection_level`), a secret that is not written here. Use UFM, set the
    key on the host of opensm and waive this, or waive it where tenants are not root.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        fabrics:
          compute:
            protocol: infiniband
            subnet_manager: opensm  # <-
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700}}
        tenants:
          blue: {nodes: [p1/su-1]}
    """
    good = """
        fabrics:
          compute:
            protocol: infiniband
            subnet_manager: ufm
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700}}
        tenants:
          blue: {nodes: [p1/su-1]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag subnets of InfiniBand with tenants that UFM does not manage."""
        for name, tenants in list_subnets_with_tenants(design):
            if design.loaded.blueprint.fabrics[name].subnet_manager != "ufm":
                message = f"opensm gives ports of {name} no M_Key, so root on a node may change whom {tenants} meet"
                hint = "say `subnet_manager: ufm`, or set `m_key` on the host of opensm and waive this"
                yield self.flag(("fabrics", name, "subnet_manager"), message, hint)
