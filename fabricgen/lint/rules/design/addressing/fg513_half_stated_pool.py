"""FG513: a pool is stated for one address family of two."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import list_drawn_pools
from fabricgen.numbering.blocks.family import FAMILIES, filter_prefixes

_FAMILY_NAMES = {"v4": "IPv4", "v6": "IPv6"}


class HalfStatedPool(DesignRule):
    """Fabrics use both IPv4 and IPv6, but a pool is stated for one of them only: the other uses the built-in default.

    Whoever states a pool plans addresses. The forgotten default is the same in every cluster, so two clusters clash
    on the day they are connected (RFC 4193, 3.2, asks for a random global id for that reason). State a prefix of
    each family, or none.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        ip: dual
        pools:
          hosts: 172.16.0.0/12  # <-
    """
    good = """
        ip: dual
        pools: {hosts: [172.16.0.0/12, "fd5a:19c3:2e41::/48"]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag pools of the cluster that state one address family, if addresses of the other come from the default."""
        drawn = list_drawn_pools(design)
        # IPv6 alone: the only IPv4 addresses are router ids, which nobody routes
        if {path[-1] for path, word in drawn if word == "v4"} == {"loopback"}:
            return
        for name, prefixes in design.loaded.blueprint.pools:
            words = [family.word for family in FAMILIES if filter_prefixes(prefixes, family)]
            for family in FAMILIES:
                path = ("pools", name)
                if words and family.word not in words and {(path, word) for word in (*words, family.word)} <= drawn:
                    message = (
                        f"{name} states {_FAMILY_NAMES[words[0]]} only; {_FAMILY_NAMES[family.word]} uses the default, "
                    )
                    default = ", ".join(family.default_pools[name])
                    yield self.flag(path, message + default, f"add a prefix of {_FAMILY_NAMES[family.word]}")
