"""The constants of an analysis: they follow from what their sources say, and one's own win over them."""

from __future__ import annotations

from pathlib import Path

import pytest

import fabricgen.catalog
from fabricgen.catalog.loader import Catalog
from fabricgen.design.inside.scale_across import US_PER_KM
from fabricgen.kernel.diagnostics import InputError

CATALOG = Catalog()
USUAL = CATALOG.constants()
FILE = Path(fabricgen.catalog.__file__).parent / "data/constants/usual.yaml"
HEADERS = {
    "roce": (8, 14, 20, 8, 12, 4, 4, 12),  # preamble, Ethernet, IPv4, UDP, BTH, ICRC, FCS, gap
    "infiniband": (8, 12, 4, 2),  # LRH, BTH, ICRC, VCRC
}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A catalogue of one's own, with the usual constants."""
    file = tmp_path / "catalog/constants/usual.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(FILE.read_text())
    return file


def test_light_is_as_fast_between_sites_as_within() -> None:
    assert USUAL.latency.medium.fibre_ns_per_m == US_PER_KM


@pytest.mark.parametrize("protocol", HEADERS)
def test_collectives_reach_less_of_a_network_than_headers_leave_of_a_packet(protocol: str) -> None:
    """Of packets of 4,096 bytes (InfiniBand Architecture Specification 1.7 and its Annex A17; IEEE Std 802.3)."""
    assert 0.9 < USUAL.efficiency.network.reached < 4096 / (4096 + sum(HEADERS[protocol]))


def test_protocols_trade_bandwidth_for_latency() -> None:
    for algorithm in (USUAL.latency.ring, USUAL.latency.tree):
        simple, ll128, ll = (steps for _, steps in algorithm.protocols)
        assert simple.bandwidth_share > ll128.bandwidth_share > ll.bandwidth_share
        assert simple.nic_us > ll128.nic_us > ll.nic_us
        assert simple.scale_up_us > ll128.scale_up_us > ll.scale_up_us


def test_failures_of_parts_add_up_to_those_of_the_job_they_are_from() -> None:
    """Llama 3 counted 419 interruptions, of which 54 were bugs, 2 dependencies and 7 of unknown cause."""
    links = 16384 + 16384 + 16384 // 7
    parts = {"gpu": 16384, "node": 2048, "nic": 16384, "cable": links, "switch": 1024}
    assert set(parts) == set(USUAL.failures)
    found = sum(USUAL.failures[part].per_year * number for part, number in parts.items()) * 54 / 365.25  # type: ignore[index]
    assert found == pytest.approx(419 - 54 - 2 - 7, rel=0.01)


def test_mean_time_between_failures_is_the_inverse_of_their_rate() -> None:
    for seen in USUAL.failures.values():
        assert seen.per_year * seen.mtbf_hours == pytest.approx(365.25 * 24)


def test_every_scale_up_domain_has_an_efficiency_and_nvlink_its_own() -> None:
    for name in CATALOG.ids("scale_up"):
        found = USUAL.efficiency.find_domain_efficiency(name)
        assert 0.5 < found.reached < 1
        assert (found is USUAL.efficiency.other) <= (CATALOG.scale_up(name).link_name != "nvl"), name


def test_switches_have_the_latency_of_their_profile_or_protocol() -> None:
    latency = USUAL.latency
    assert latency.switch_ns(CATALOG.switch("7060dx5-64s")) == 900
    assert latency.switch_ns(CATALOG.switch("q3400-ra")) == latency.switches.ns["infiniband"]
    assert latency.switch_ns(CATALOG.switch("nvlink5-tray")) is None


def test_ones_own_constants_win(own: Path) -> None:
    own.write_text(own.read_text().replace("jitter_us: 20", "jitter_us: 50"))
    assert Catalog(own.parents[1]).constants().stragglers.jitter_us == 50


def test_constants_that_name_no_domain_or_one_twice_are_refused_at_its_key(own: Path) -> None:
    whole = own.read_text()
    for wrong, said in (("hgx-h10", "there is no scale-up domain profile 'hgx-h10'"), ("hgx-a100", "is of nvlink3")):
        own.write_text(whole.replace("[hgx-h100, hgx-h200", f"[{wrong}, hgx-h200"))
        line = next(n for n, text in enumerate(own.read_text().splitlines(), 1) if f"[{wrong}, hgx-h200" in text)
        with pytest.raises(InputError, match=said) as caught:
            Catalog(own.parents[1]).constants()
        assert f"{own.name}:{line}:17: error[FG010]: efficiency.scale_up.nvlink4.domains" in str(caught.value)
