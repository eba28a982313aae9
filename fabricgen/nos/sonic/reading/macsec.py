"""SONiC's MACsec profiles read back (sonic-macsec.yang)."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.running.tree import only, unfit
from fabricgen.switch.interfaces import Macsec


def read_macsec(table: Mapping[str, Mapping[str, str]]) -> dict[str, Macsec]:
    """Encryption by the name of its profile; raises UnknownTextError where one does not encrypt."""
    found = {}
    for name, row in table.items():
        only(row, "cipher_suite", "policy", "primary_cak", "primary_ckn")
        if row.get("policy", "security") != "security":
            unfit(f"{name} does not encrypt")
        words = row.get("cipher_suite", "GCM-AES-128").removeprefix("GCM-AES-").split("-")
        cipher = "-".join([f"aes{words[-1]}", "gcm", *(["xpn"] if words[0] == "XPN" else [])])
        found[name] = Macsec(cipher, row.get("primary_ckn", ""), row.get("primary_cak", ""))
    return found
