"""How often `probe judge` names the true part first in a hall of 600,896 links, and how long it takes.

`python -m benchmarks.probing [HALLS]`. Halls are simulated as those of `tests/probing`, a quarter of each kind.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fabricgen.addons.probing.judge import ProbeTable
from fabricgen.addons.probing.plan import write_tables
from fabricgen.addons.probing.solver import Losses, find_suspects
from fabricgen.api import compile_blueprint
from tests.probing.halls import KINDS, SENT, break_hall, plan_exactly

HALLS = 200


def main(halls: int) -> None:
    """Plan, read the plan back, and break one hall after the other."""
    view = compile_blueprint("blueprints/colossus-200k.yaml")
    began = time.process_time()
    probes = plan_exactly(view, "compute")
    print(f"{len(probes.paths):,} probes, least {probes.least:,}: {time.process_time() - began:.1f} s")  # noqa: T201 - a command
    with TemporaryDirectory() as folder:
        for name, content in write_tables([probes]).items():
            Path(folder, name).write_bytes(content)
        began = time.process_time()
        table = ProbeTable(view, Path(folder))
        parts = table.make_parts(np.ones(len(table.number), dtype=bool))
        print(f"{len(parts.part):,} crossings of {parts.count:,} parts: {time.process_time() - began:.1f} s")  # noqa: T201 - a command
    first, slowest, sent = Counter[str](), 0.0, np.full(len(probes.paths), float(SENT))
    for seed in range(halls):
        kind = KINDS[seed % len(KINDS)]
        faults, lost = break_hall(probes, kind, np.random.default_rng(seed))
        began = time.process_time()
        suspects = find_suspects(parts, Losses(parts, sent, lost.astype(np.float64)))
        slowest = max(slowest, time.process_time() - began)
        names = {name for fault in faults for name in fault.names}
        first[kind] += bool(suspects) and table.describe_part(suspects[0].part)[1] in names
    print(f"true part first in {first.total()} of {halls} halls {dict(first)}, the slowest in {slowest:.1f} s")  # noqa: T201 - a command


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else HALLS)
