"""The language of long-haul connections between sites: their fibre, whether they pause, and their encryption."""

from typing import Annotated, Literal

from pydantic import Field

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.sections.secret import Secret
from fabricgen.models.forms import CONNECTION_KEY_NAME

Cipher = Literal["aes128-gcm", "aes256-gcm", "aes128-gcm-xpn", "aes256-gcm-xpn"]
"""Cipher suites of MACsec (IEEE 802.1AE-2018, 14.5 to 14.8), as EOS calls them."""

ConnectionKeyName = Annotated[str, Field(pattern=CONNECTION_KEY_NAME)]
"""The form of sonic-macsec.yang; EOS takes it, too."""


class Macsec(Model):
    """Encryption of every link of a span (MACsec, IEEE 802.1AE), with a key of both ends (MKA, 802.1X)."""

    cipher: Cipher = Field(
        "aes256-gcm-xpn",
        description="The cipher suite; xpn: with packet numbers of 64 bits, which do not run out in seconds.",
    )
    ckn: ConnectionKeyName = Field(description="The name of the key: 32 or 64 hexadecimal digits, in small letters.")
    cak: Secret = Field(
        description="The key, as the NOS keeps it (type 7): two decimal digits, then 64 hexadecimal ones for AES-128 "
        "or 128 for AES-256."
    )


class SpanTraffic(Model):
    """What a span does with packets, beside carrying them."""

    lossless: bool = Field(
        False,
        description="Whether PFC pauses over it, which takes headroom for twice its length. Default: no; its ports "
        "mark packets (ECN) and drop what they cannot hold.",
    )
    macsec: Macsec | None = Field(None, description="Encrypt its links. Default: no.")
