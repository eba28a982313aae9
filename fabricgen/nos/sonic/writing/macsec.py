"""MACsec of SONiC: a profile for each encrypted span, which its ports name, and the container that agrees on keys.

Tables and fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-macsec.yang and sonic-port.yang.
"""

from __future__ import annotations

from typing import Any

from fabricgen.views.switch import SwitchView

CIPHERS: dict[str, str] = {
    "aes128-gcm": "GCM-AES-128",
    "aes256-gcm": "GCM-AES-256",
    "aes128-gcm-xpn": "GCM-AES-XPN-128",
    "aes256-gcm-xpn": "GCM-AES-XPN-256",
}


def macsec_values(switch: SwitchView) -> dict[str, Any]:
    """Rows of MACSEC_PROFILE; `macsec` says whether there are any."""
    rows = {
        name: {
            "cipher_suite": CIPHERS[own.cipher],
            "policy": "security",
            "primary_cak": own.cak,
            "primary_ckn": own.ckn,
        }
        for name, own in switch.encrypted_spans
    }
    return {"MACSEC_PROFILE": rows, "macsec": bool(rows)}
