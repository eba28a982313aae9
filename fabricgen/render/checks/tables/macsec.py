"""Encryption of links. Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-macsec.yang."""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Row, table

_CAK = k.pattern(
    r"<.*>|[0-9]{2}(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{128})", "a key of type 7: two digits, then 64 or 128 more"
)
_CKN = k.pattern(r"[0-9a-fA-F]{32}|[0-9a-fA-F]{64}", "32 or 64 hexadecimal digits")
_WORD = k.number(0, (1 << 32) - 1)


class Profile(Row):
    """MACSEC_PROFILE|name; a key may be a reference in angle brackets, where secrets are left out."""

    primary_cak: Annotated[str, Is(_CAK)]
    primary_ckn: Annotated[str, Is(_CKN)]
    cipher_suite: Annotated[
        str, Is(k.pattern(r"GCM-AES-(XPN-)?(128|256)", "a cipher suite such as GCM-AES-XPN-256"))
    ] = ""
    enable_replay_protect: Annotated[str, Is(k.truth)] = ""
    fallback_cak: Annotated[str, Is(_CAK)] = ""
    fallback_ckn: Annotated[str, Is(_CKN)] = ""
    policy: Annotated[str, Is(k.one_of("integrity_only", "security"))] = ""
    priority: Annotated[str, Is(k.number(0, 255))] = ""
    rekey_period: Annotated[str, Is(_WORD)] = ""
    replay_window: Annotated[str, Is(_WORD)] = ""
    send_sci: Annotated[str, Is(k.truth)] = ""


TABLES = (table("MACSEC_PROFILE", (k.label, Profile)),)
