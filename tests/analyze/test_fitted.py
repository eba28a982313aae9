"""Constants that are fitted to what was measured of collectives: recomputed, and judged by what was not fitted to."""

from __future__ import annotations

import pytest

from fabricgen.catalog.loader import Catalog
from tools.published_collectives import (
    LARGE,
    NEAR,
    SMALL,
    compared,
    count_held,
    fit_latency,
    fit_reached,
    fit_small,
    is_in_range,
)

EFFICIENCY = Catalog().constants().efficiency


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["ethernet", "infiniband"])
def test_the_share_of_a_network_is_what_the_fit_makes(protocol: str) -> None:
    assert {str(key): share for key, share in EFFICIENCY.network.by_protocol.items()}[protocol] == fit_reached(protocol)


@pytest.mark.slow
def test_ranges_of_small_messages_are_what_the_fit_makes() -> None:
    assert EFFICIENCY.small is not None
    fitted = {kind: fit_small(kind) for kind in ("domain", "ethernet", "infiniband")}
    assert EFFICIENCY.small.measured == {kind: bounds for kind, bounds in fitted.items() if bounds}
    assert EFFICIENCY.small.below_bytes == SMALL


def test_rows_that_were_not_fitted_to_judge_the_constants() -> None:
    """At least 70 % of those from 1 GiB on within 15 %, and 80 % of small ones in the range that is shown."""
    judged = [point for point in compared() if not point.is_fitted]
    large = [point for point in judged if point.size >= LARGE]
    assert len(large) > 20
    assert sum(abs(point.error) <= NEAR for point in large) >= 0.7 * len(large)
    small = [point for point in judged if point.size < SMALL and fit_small(point.kind)]
    assert len(small) >= 9
    assert sum(map(is_in_range, small)) >= 0.8 * len(small)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["domain", "ethernet"])
def test_a_latency_that_is_fitted_holds_no_more_rows_than_that_of_the_library(kind: str) -> None:
    """Why steps have NCCL's own latencies, and no further one for each kind of network."""
    (held, number), (before, _) = count_held(kind, fit_latency(kind)), count_held(kind, 0)
    assert 0 < held <= before <= number


def test_a_range_is_shown_of_small_messages_alone(fabricgen) -> None:
    import json

    ran = fabricgen("analyze", "blueprints/superpod-b300.yaml", "--section", "collectives", "--format", "json")
    figures = json.loads(ran.out)["collectives"]["compute"]
    rows = [row for rows in figures["collectives"].values() for row in rows]
    assert {row["busbw_range_gbytes"] is not None for row in rows if row["bytes"] < SMALL} == {True}
    assert {row["busbw_range_gbytes"] for row in rows if row["bytes"] >= SMALL} == {None}


@pytest.mark.parametrize(("mode", "full"), [("hash", False), ("dynamic", False), ("spray", True)])
def test_collectives_take_what_the_blueprint_balances_by(fabricgen, mode: str, full: bool) -> None:
    """All-to-all over hashed paths has the share that the table of load balance has, sprayed the whole rate."""
    import json

    asked = ("blueprints/superpod-b300.yaml", "--set", f"routing.load_balance={mode}", "--format", "json")
    figures = json.loads(fabricgen("analyze", *asked).out)
    collectives, balance = figures["collectives"]["compute"], figures["load_balance"]["compute"]
    (permutation,) = (one for one in balance["patterns"] if one["name"] == "random permutation")
    kind = "hash" if mode == "hash" else "dynamic"
    expected = next(row["expected"] for row in permutation["rows"] if (row["kind"], row["queue_pairs"]) == (kind, 4))
    share = collectives["crowding"]["everyone"]["balanced_share"]
    assert share == (1.0 if full else pytest.approx(expected["mean_share"], abs=0.01))
    row = collectives["collectives"]["all-to-all"][-1]
    assert row["busbw_gbytes"] * 8 <= 1.15 * share * collectives["network_gbps_per_rank"]
