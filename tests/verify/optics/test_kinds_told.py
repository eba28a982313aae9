"""What a module is by the words of its EEPROM and of the NOS.

Words of SONiC: sonic-platform-common, sonic_platform_base/sonic_xcvr/codes/public/sff8024.py
(github.com/sonic-net/sonic-platform-common), after SFF-8024; of EOS: mediaType in ANTA, NAPALM, and its data sheets.
"""

from __future__ import annotations

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.optics.modules import CatalogParts, ModuleKind, read_kind

WORDS = [
    ("100GBASE-SR4 or 25GBASE-SR", ModuleKind("SR", 100, 100)),
    ("400G-VR4 (Clause 167)", ModuleKind("SR", 50, 400)),
    ("400GBASE-VSR4", ModuleKind("SR", 50, 400)),
    ("100GBASE-XSR4", ModuleKind("SR", 0, 100)),
    ("10GBASE-SR (Clause 52)", ModuleKind("SR", 0, 10)),
    ("400GBASE-SR4.2 (Clause 150) (400GE BiDi)", ModuleKind("", 0, 400)),
    ("100GBASE-SRBD", ModuleKind("", 0, 100)),
    ("400GBASE-DR4 (Cl 124)", ModuleKind("DR", 500, 400)),
    ("800GBASE-DR8-2 (Clause 124)", ModuleKind("DR", 2000, 800)),
    ("400GBASE-XDR4", ModuleKind("DR", 2000, 400)),
    ("800GBASE-2XDR4", ModuleKind("DR", 0, 800)),
    ("1.6TBASE-DR8 (Clause 180)", ModuleKind("DR", 500, 1600)),
    ("100G-FR/100GBASE-FR1 (Cl 140)", ModuleKind("DR", 2000, 100)),
    ("400GBASE-PLR4", ModuleKind("DR", 10_000, 400)),
    ("100G PSM4 MSA Spec", ModuleKind("DR", 500)),
    ("400G-FR4/400GBASE-FR4 (Cl 151)", ModuleKind("FR", 2000, 400)),
    ("800GBASE-FR4-500 (Clause 183)", ModuleKind("FR", 500, 800)),
    ("100G CWDM4", ModuleKind("FR", 2000)),
    ("400GBASE-LR4-6 (Cl 151)", ModuleKind("LR", 6000, 400)),
    ("400GBASE-ER8 (Cl 122)", ModuleKind("LR", 40_000, 400)),
    ("400ZR, DWDM, amplified", ModuleKind("ZR", 80_000)),
    ("100GBASE-CR4, 25GBASE-CR CA-25G-L or 50GBASE-CR2 with RS", ModuleKind("copper")),
    ("Copper cable, near and far end limiting active equalizers", ModuleKind("copper")),
    ("100G ACC (Active Copper Cable) or 25GAUI C2M ACC", ModuleKind("copper")),
    ("100G AOC (Active Optical Cable) or 25GAUI C2M AOC", ModuleKind("AOC")),
    ("Active Cable assembly with BER < 2.6x10^-4", ModuleKind("AOC")),
    ("400GBASE-AR8", ModuleKind("AOC")),
    ("No separable connector; 850 nm VCSEL", ModuleKind("AOC")),
    ("LC; 850 nm VCSEL", ModuleKind("SR")),
    ("50GBASE-FR or 200GBASE-DR4", ModuleKind("", 0, 200)),
    ("QSFP28 or later; RJ45; Not Present", ModuleKind()),
]


@pytest.mark.parametrize(("words", "kind"), WORDS)
def test_words(words: str, kind: ModuleKind) -> None:
    """Family, reach and speed; unknown where the words tell none, or several."""
    told = read_kind(words)
    assert (told.family, told.gbps) == (kind.family, kind.gbps)
    assert told.reach_m == kind.reach_m or words.startswith("LC")


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ("MMA4Z00-NS", ModuleKind("SR", 50, 800)),
        ("MMS4X00-NM", ModuleKind("DR", 500, 800)),
        ("MMS4X50-NM", ModuleKind("FR", 2000, 800)),
        ("MCP4Y10-N01A", ModuleKind("copper", 0, 800, 1.5)),
        ("MFA1A00-C020", ModuleKind("AOC", 0, 100, 20)),
        ("sr8-50g-qsfp-dd-400g", ModuleKind("SR", 100)),
        ("aoc-25g-qsfp-dd-qsfp28-200g-1x2-10m", ModuleKind("AOC", 0, 200, 10)),
        ("dr8-2-200g-osfp-1600g", ModuleKind("DR", 2000)),
    ],
)
def test_parts(part: str, kind: ModuleKind) -> None:
    """Parts of lists by their numbers, with their lengths; parts of no list by the medium in their name."""
    assert CatalogParts(Catalog()).find_kind(part) == kind


def test_a_part_that_no_list_has() -> None:
    """It is nobody's, and not taken for the beginning of another."""
    parts = CatalogParts(Catalog())
    assert parts.find_kind("MMA4Z00") is None
    assert parts.find_kind("sr8-50") is None
    assert not parts.is_product("sr8-50g-qsfp-dd-400g")
    assert parts.is_product("mcp4y10-n002")
