"""A VRF has a name that SONiC cannot take."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadVrf(Fault):
    """A fabric that shares switches becomes a VRF, and its name is too long or is one that the NOS keeps for itself.

    On Linux a VRF is a device, whose name has at most 15 characters (IFNAMSIZ, linux/if.h); SONiC puts `Vrf` before
    it and keeps `mgmt` for management. State a shorter `vrf`.
    """

    id = "FG112"
    title = "a VRF has a name that SONiC cannot take"
    bad = """
        fabrics:
          storage:
            protocol: roce
            carried_by: compute
            attach: storage
            vrf: mgmt  # <-
    """
    good = """
        fabrics:
          storage: {protocol: roce, carried_by: compute, attach: storage, vrf: files}
    """
