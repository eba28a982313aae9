"""Where switches boot from: the URL of the files for a first boot, and which of them each NOS asks for.

- SONiC reads a ztp.json, whose URL is option 67, or 59 of DHCPv6 (sonic-net/sonic-ztp, src/usr/lib/ztp/dhcp/ztp, commit
  036c8eaa; sonic-net/sonic-buildimage, files/dhcp/dhclient.conf.j2).
- EOS runs a script, or takes a configuration, from the URL in option 67 (Arista EOS user manual, Initial Switch Access,
  "Zero Touch Provisioning"), or in option 59 of DHCPv6 (RFC 5970).
- Cumulus Linux runs a script from the URL in option 239 of DHCP (Cumulus Linux 5.11 user guide, "Zero Touch
  Provisioning"); it says nothing of DHCPv6.
- Junos loads a configuration, of which option 43 has the path and how to fetch it, and option 150 or 66 the server
  (platforms/junos.yaml says where that was read).
- ONIE, which installs a NOS, takes the URL of an image from option 114 (ONIE user guide, "Image Discovery").
"""

from __future__ import annotations

from functools import cached_property
from ipaddress import ip_address
from urllib.parse import urlsplit

from fabricgen.blueprint.sections.management import Image, Management
from fabricgen.catalog.nos_configuration import BootFile
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.wiring.tables import SWITCH, DeviceClass

MAX_OPTION = 255
"""Bytes in an option of DHCPv4 (RFC 2132, 2)."""

UNTOLD = "state `management: {ztp: {url: ...}}` with an IPv4 address and a short path"


def is_address(text: str) -> bool:
    """Whether a server is stated by its address and not by its name."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


class BootServer:
    """The server from which the switches of a cluster fetch what they boot."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._settings: dict[str, Management] = {}

    def find_settings(self, fabric: str) -> Management:
        """Return the management settings of a fabric's switches; those of the cluster for "" and for a
        scale-up fabric.
        """
        blueprint = self._cluster.design.loaded.blueprint
        if fabric not in self._settings:
            fabric_spec, shared = blueprint.fabrics.get(fabric), blueprint.management
            self._settings[fabric] = fabric_spec.management.over(shared) if fabric_spec else shared
        return self._settings[fabric]

    def find_url(self, fabric: str) -> str:
        """Return the URL for a fabric's switches, without a slash at the end; "" if none is known."""
        ztp = self.find_settings(fabric).ztp
        return ztp.url.rstrip("/") if ztp and ztp.url else self._default_url

    @cached_property
    def _default_url(self) -> str:
        """The URL if none is stated: that of the first DHCP server of the management network; "" without one."""
        specs = self._cluster.design.loaded.blueprint.fabrics
        dhcp_settings = (specs[fabric.name].dhcp for fabric in self._cluster.design.fabrics if fabric.manages)
        server = next((dhcp.servers[0] for dhcp in dhcp_settings if dhcp is not None), "")
        return f"http://[{server}]" if ":" in server else f"http://{server}" if server else ""

    def locate_boot_file(self, row: int) -> tuple[BootFile, str] | None:
        """Return the file that a device asks for, and its URL; `row` is its row in the device table.

        None for nodes, and if no URL is known.
        """
        cls = self._find_class(row)
        boot = self.find_class_boot(cls)
        url = self.find_url(cls.fabric) if boot else ""
        folder = "ztp" if boot and boot.script else "configs"
        return (boot, f"{url}/{folder}/{self._cluster.names[row]}/{boot.file}") if boot and url else None

    def list_options(self, row: int, *, is_v6: bool = False) -> dict[str, str]:
        """Return the DHCP options of a device for its first boot: text by option, `OPTION` or `OPTION.SUB-OPTION`.

        Empty if nothing is known. Raises InputError (FG170) if the option has no room for the text, or if the server
        needs an IPv4 address and has none.
        """
        boot, file_url = self.locate_boot_file(row) or (None, "")
        if boot is None or is_v6 or not boot.encloses:
            option = (boot.option6 if is_v6 else boot.option) if boot else 0
            return {str(option): file_url} if option else {}
        codes, url = boot.encloses, urlsplit(file_url)
        enclosed = {
            codes.image: urlsplit(self.image_url(row)).path,
            codes.file: url.path,
            codes.mode: url.scheme,
            codes.port: str(url.port or ""),
        }
        # each sub-option has a code and a length before it (RFC 2132, 8.4)
        length = sum(2 + len(text) for text in enclosed.values() if text)
        host = url.hostname or ""
        if length > MAX_OPTION or ":" in host:
            why = f"DHCP cannot tell {self.name_device(row)} where it boots from: option {boot.option} "
            why += f"would have {length} bytes of {MAX_OPTION}" if length > MAX_OPTION else "wants no IPv6 address"
            error = fault("FG170", why, path=("fabrics", self._find_class(row).fabric), hint=UNTOLD)
            raise self._cluster.design.loaded.locate_error(error)
        server = codes.address if is_address(host) else codes.name
        return {f"{boot.option}.{code}": text for code, text in enclosed.items() if text} | {str(server): host}

    def find_class_boot(self, cls: DeviceClass) -> BootFile | None:
        """Return the file that devices of a class ask for at their first boot; None if they ask for none."""
        return self._cluster.design.catalog.naming(cls.nos).systems.boot if cls.kind == SWITCH else None

    def find_image(self, row: int) -> Image | None:
        """Return the image of a switch: that of its model, else of its NOS; None if none is stated."""
        cls = self._find_class(row)
        ztp = self.find_settings(cls.fabric).ztp if cls.kind == SWITCH else None
        return (ztp.images.get(cls.profile.id) or ztp.images.get(cls.nos)) if ztp else None

    def image_url(self, row: int) -> str:
        """Return the URL of a switch's image; "" for none."""
        image, url = self.find_image(row), self.find_url(self._find_class(row).fabric)
        return f"{url}/{image.file}" if image and url else ""

    def name_device(self, row: int) -> str:
        """Return the name of a device."""
        return self._cluster.names[row]

    def check_images(self) -> None:
        """Raise InputError (FG171) for an image whose key is neither a NOS that boots so nor a switch model."""
        blueprint, catalog = self._cluster.design.loaded.blueprint, self._cluster.design.catalog
        settings_by_path = [
            ((), blueprint.management),
            *((("fabrics", n), f.management) for n, f in blueprint.fabrics.items()),
        ]
        booting = (nos for nos in catalog.list_known_nos() if catalog.naming(nos).systems.boot)
        valid_keys = sorted({*booting, *catalog.ids("switches")})
        for section, settings in settings_by_path:
            for key in settings.ztp.images if settings.ztp else ():
                if key not in valid_keys:
                    path, hint = (*section, "management", "ztp", "images", key), did_you_mean(key, valid_keys)
                    error = fault("FG171", f"no switch is a '{key}' or runs it", path=path, hint=hint)
                    raise self._cluster.design.loaded.locate_error(error)

    def _find_class(self, row: int) -> DeviceClass:
        devices = self._cluster.plan.devices
        return devices.classes[int(devices.device_class[row])]
