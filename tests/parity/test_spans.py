"""Spans on every NOS: what drops has no PFC, what pauses has headroom for its length, what is encrypted room for it."""

from __future__ import annotations

import json
import re

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.design.inside.scale_across import compute_headroom, count_bytes_in_flight
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.render.checks.config_db import check_config_db
from fabricgen.render.engine import make_render_options, render_rows
from fabricgen.render.nos_protocol import known_nos
from fabricgen.render.secrets import SecretStore
from fabricgen.switch.model import list_differences
from tests.conftest import example_design
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.rendered import cluster_of

HAUL = "fabrics.across.spans.haul"
LOSSLESS, CKN = f"{HAUL}.lossless=true", "0123456789abcdef0123456789abcdef"
ENCRYPTED = f"{HAUL}.macsec={{ckn: {CKN}, cak: 'env:FABRICGEN_CAK'}}"
SPECTRUM = ("fabrics.across.tiers.border.switch=sn5600",)
HARDWARE = {
    "eos": (),
    "sonic": ("nos.border=sonic", *SPECTRUM),
    "cumulus": ("nos.border=cumulus", *SPECTRUM),
    "junos": ("nos.border=junos", "fabrics.across.tiers.border.switch=qfx5240-64od"),
}
ASKED = {"drops": (), "pauses": (LOSSLESS, f"{HAUL}.km=2"), "encrypted": (ENCRYPTED,)}


def border(nos: str, *asked: str):
    """(switch, files) of a border switch."""
    sets = (*HARDWARE[nos], *asked)
    return next((s, f) for s, f in switches_of("two-site", sets) if s.tier.name == "border")


@pytest.mark.tenth
@pytest.mark.parametrize("nos", known_nos(whole_fabric=False))
@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_what_is_asked_of_a_span_is_said(nos: str, asked: tuple[str, ...]) -> None:
    switch, files = border(nos, *asked)
    cluster = cluster_of("two-site", *HARDWARE[nos], *asked)
    found = list(list_differences(read(switch, files), wanted(cluster, switch)))
    assert not found, first(found)
    if "config_db.json" in files:
        tables = json.loads(files["config_db.json"])
        assert [problem.text() for problem in check_config_db(tables, Catalog())] == []


def test_a_span_that_drops_has_no_pfc_on_sonic_and_the_others_do() -> None:
    switch, files = border("sonic")
    tables = json.loads(files["config_db.json"])
    for port in switch.ports:
        rows = [tables["PORT_QOS_MAP"][port.name], tables["PFC_WD"].get(port.name)]
        assert [("pfc_enable" in rows[0]), rows[1] is not None] == [port.span is None] * 2
        assert (f"{port.name}|3" in tables["BUFFER_PG"]) == (port.span is None)
        assert "wred_profile" in tables["QUEUE"][f"{port.name}|3"]


def test_a_lossless_span_has_headroom_for_twice_its_length_on_sonic() -> None:
    switch, files = border("sonic", LOSSLESS, f"{HAUL}.km=2")
    tables = json.loads(files["config_db.json"])
    port = next(port for port in switch.ports if port.span)
    assert tables["CABLE_LENGTH"]["AZURE"][port.name] == "2000m"
    profile = tables["BUFFER_PROFILE"][tables["BUFFER_PG"][f"{port.name}|3"]["profile"]]
    assert int(profile["xoff"]) >= round(count_bytes_in_flight(2, 400)) == 980_000


def test_a_span_longer_than_the_buffer_has_no_made_up_sizes_on_sonic() -> None:
    _, files = border("sonic", LOSSLESS)
    assert "BUFFER_PROFILE" not in json.loads(files["config_db.json"])
    found = [d for d in lint(example_design("two-site", *HARDWARE["sonic"], LOSSLESS)).findings if d.code == "FG712"]
    assert [re.sub(r" need .* has", " need X has", d.message) for d in found]


def test_headroom_is_what_the_standard_counts() -> None:
    assert compute_headroom(40, 400) == 19_600_000 + 2 * 9270 + 57_920 + 84
    assert compute_headroom(0.001, 400) < 100_000


def test_cumulus_is_told_the_length() -> None:
    _, files = border("cumulus", LOSSLESS, f"{HAUL}.km=2")
    assert "ROCE-2000M:\n          cable-length: 2000\n" in files["startup.yaml"]


@pytest.mark.slow
@pytest.mark.parametrize(("nos", "mtu"), [("eos", 9214), ("sonic", 9216), ("cumulus", 9216)])
def test_an_encrypted_frame_is_no_larger_than_others(nos: str, mtu: int) -> None:
    switch, _ = border(nos, ENCRYPTED)
    assert {port.mtu for port in switch.ports if port.span} == {mtu - 32}
    assert {port.mtu for port in switch.ports if not port.span} == {mtu}


@pytest.mark.parametrize(("nos", "says"), [("eos", f"key {CKN} 7 {{}}"), ("sonic", '"primary_cak": "{}"')])
def test_the_key_is_looked_up_and_held_to_its_form(nos: str, says: str, monkeypatch, tmp_path) -> None:
    cluster = cluster_of("two-site", *HARDWARE[nos], ENCRYPTED)
    row = next(r for r in cluster.switch_rows() if cluster.switch(r).tier.name == "border")
    monkeypatch.setenv("FABRICGEN_CAK", "07" + "ab" * 64)
    options = make_render_options(cluster, resolver=SecretStore(tmp_path))
    text = "".join(content.decode() for _, content in render_rows(cluster, [row], options))
    assert says.format("07" + "ab" * 64) in text
    monkeypatch.setenv("FABRICGEN_CAK", "07" + "ab" * 32)
    with pytest.raises(InputError, match="AES-256") as wrong:
        make_render_options(cluster, resolver=SecretStore(tmp_path))
    assert "abab" not in str(wrong.value)
