"""The team of a job: how its ranks lie in scale-up domains, and the bandwidth that each has."""

from __future__ import annotations

import numpy as np

from fabricgen.analyze.asked import Job
from fabricgen.analyze.collectives.model import Team
from fabricgen.analyze.network import Network
from fabricgen.catalog.constant_models import ConstantsProfile, ScaleUpEfficiency
from fabricgen.catalog.models import NodeProfile


def team_of(network: Network, job: Job, constants: ConstantsProfile) -> Team:
    """The team of a job. The slowest of its ranks sets the pace, in the domain and in the network."""
    domain = network.ranks.domain[job.ranks]
    starts = np.flatnonzero(np.r_[True, domain[1:] != domain[:-1]])
    size = np.diff(np.r_[starts, len(domain)])
    gbps = float(network.ranks.domain_gbps[job.ranks].min())
    reached = scale_up_efficiency(network, job, constants)
    return Team(
        network,
        job,
        constants,
        len(starts),
        int(size.max()),
        int(size.min()),
        gbps * reached.reached,
        gbps * (reached.in_switch or 0.0),
        float(network.gbps[job.ranks].sum(axis=1).min()) * constants.efficiency.network.reached,
    )


def scale_up_efficiency(network: Network, job: Job, constants: ConstantsProfile) -> ScaleUpEfficiency:
    """What collectives of a job reach of its scale-up domains."""
    return constants.efficiency.of_domain(domain_profile(network, int(job.ranks[0])))


def domain_profile(network: Network, rank: int) -> str:
    """The id of the scale-up domain profile that a rank is in; "" where there is none."""
    from fabricgen.design.scale_up.domains import forms

    plan = network.cluster.plan
    profile = plan.devices.classes[int(plan.devices.device_class[network.ranks.device[rank]])].profile
    if not isinstance(profile, NodeProfile):
        return ""
    joined = (scale_up.profile for scale_up in network.cluster.design.scale_up)
    return next((domain.id for domain in joined if forms(profile, domain)), profile.scale_up)
