"""What tools print is read as it is, and what is no result is told."""

from __future__ import annotations

import pytest

from fabricgen.addons.sign_off.files import read_bandwidth, read_collective, read_ping, read_trace
from tests.sign_off.paper import NCCL, PERFTEST, PING

WITHOUT_F = "Conflicting CPU frequency values detected: 800.000000 != 3600.000000. CPU Frequency is not max.\n"
ALL_SIZES = """\
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 2          5000           0.11               0.11                 6.9
 65536      5000             391.81             391.54             0.746803
 8388608    5000             392.20             392.18             0.005844
"""
OLD_NCCL = """\
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
   268435456      67108864   float     sum   2010.5  133.52  250.35  5e-07   2008.1  133.68  250.64  5e-07
"""
ALLTOALL = """\
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
  8589934592      67108864     float    none      -1  44474.5  193.14  181.07      0  44495.2  193.05  180.98    N/A
"""


@pytest.mark.parametrize(
    ("text", "gbps"),
    [
        (PERFTEST.format(unit="Gb", average=391.54), 391.54),
        (PERFTEST.format(unit="MB", average=46675.0), 46675 * 2**20 * 8 / 1e9),
        (WITHOUT_F + PERFTEST.format(unit="MB", average=46675.0), 46675 * 2**20 * 8 / 1e9),
        (ALL_SIZES, 392.18),
    ],
)
def test_bandwidth(text: str, gbps: float) -> None:
    assert read_bandwidth(text).value == pytest.approx(gbps)


@pytest.mark.parametrize(
    ("text", "gbytes", "size"),
    [
        (NCCL.format(size=2**33, count=2**31, busbw=383.5), 383.5, 2**33),
        (OLD_NCCL, 250.64, 2**28),
        (ALLTOALL, 181.07, 2**33),
    ],
)
def test_bus_bandwidth(text: str, gbytes: float, size: int) -> None:
    reading = read_collective(text)
    assert (reading.value, reading.size) == (gbytes, size)


@pytest.mark.parametrize(
    ("read", "text", "trouble"),
    [
        (
            read_bandwidth,
            "Couldn't connect to p1-n1:18515\nUnable to open file descriptor\n",
            "no table of ib_write_bw: Couldn't connect to p1-n1:18515",
        ),
        (read_bandwidth, "", "no table of ib_write_bw"),
        (
            read_bandwidth,
            ALL_SIZES.splitlines()[0] + "\n Completion with error at client\n",
            "the table of ib_write_bw has no row: Completion with error at client",
        ),
        (
            read_collective,
            NCCL.format(size=2**33, count=2**31, busbw=383.5).replace("383.50     0", "383.50     7"),
            "wrong values in messages of 8,589,934,592 bytes",
        ),
        (
            read_collective,
            NCCL.format(size=1024, count=256, busbw=0.07),
            "its largest message has 1,024 bytes, and 268,435,456 are needed to judge it",
        ),
        (read_collective, "sh: all_reduce_perf: not found\n", "no table of nccl-tests: sh: all_reduce_perf: not found"),
        (
            read_ping,
            "ping: connect: Network is unreachable\n",
            "no summary of ping: ping: connect: Network is unreachable",
        ),
    ],
)
def test_what_has_no_figure_says_why(read: object, text: str, trouble: str) -> None:
    reading = read(text)  # type: ignore[operator]
    assert (reading.value, reading.trouble) == (None, trouble)


def test_ping_and_traces() -> None:
    assert read_ping(PING.format(host="h", received=15, loss=0)).value == 100
    assert read_ping("20 packets transmitted, 17 received, +3 errors, 15% packet loss, time 3817ms").value == 85
    head = "traceroute to 10.0.0.9 (10.0.0.9), 3 hops max, 60 byte packets\n"
    trace = f"{head} 1  10.0.0.1  0.2 ms\n 2  *\n 3  10.0.0.4  0.3 ms\n"
    assert read_trace(trace) == ("10.0.0.1", "*", "10.0.0.4")
