"""What switches cannot be told to boot."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG170 = Fault(
    id="FG170",
    name="NowhereToBootFrom",
    title="a part that tells switches where to boot from, and no server",
    text="""
    `build --only ztp` writes the files that switches run at their first boot, with the URL from which they fetch the
    rest. The blueprint states none, and no DHCP server of the management network that could be one.
    """,
    in_words=True,
    bad="""
    fabricgen build leaf-spine.yaml -o out --only ztp
    """,
    good="""
    management: {ztp: {url: http://10.32.0.9}}
    """,
)

FG171 = Fault(
    id="FG171",
    name="ImageForNobody",
    title="an image for a switch or NOS that there is not",
    text="""
    `management.ztp.images` has images by model of switch, as the catalogue calls it, or by NOS: `sonic`, `eos` or
    `cumulus`. With a key that is neither no switch would fetch the image.
    """,
    in_words=True,
    bad="""
    management: {ztp: {images: {sonik: {file: images/sonic.bin}}}}
    """,
    good="""
    management: {ztp: {images: {sonic: {file: images/sonic.bin}}}}
    """,
)
