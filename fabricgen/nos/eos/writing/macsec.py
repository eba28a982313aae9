"""Values of EOS's MACsec: a profile for each encrypted span (pyavd 6.4, mac_security).

Without `traffic unprotected allow`, which is not written, a port carries nothing before its key agreement is done.
"""

from __future__ import annotations

from fabricgen.render.escape import token
from fabricgen.views.switch import SwitchView


def macsec_profiles(switch: SwitchView) -> list[tuple[str, str, str, str]]:
    """(profile, cipher, name of the key, key of type 7) of the spans that end at a switch."""
    return [(token(name), own.cipher, own.ckn, own.cak) for name, own in switch.encrypted_spans]
