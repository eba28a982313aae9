"""What is lost of the networks of `fabrics`, as `analyze` has it."""

from __future__ import annotations

from functools import cache

import numpy as np

from fabricgen.analyze.asked import Job
from fabricgen.analyze.collectives.model import make_team
from fabricgen.analyze.losses import Losses
from fabricgen.analyze.network import list_networks
from tests.srv6.fabrics import FOUR_PLANES, compile_page


@cache
def make_losses(*sets: str) -> Losses:
    (network,) = list_networks(compile_page(FOUR_PLANES, *sets))
    job = Job("all", np.arange(len(network.ranks), dtype=np.int64))
    return Losses(network, job, make_team(network, job, network.cluster.design.catalog.constants()).grid)
