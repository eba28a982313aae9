"""The sections of an analysis, a module each.

`ORDER` is its place among them, `figures(network, job, question)` makes its JSON, `lines(results)` tells that to people
and `headlines(results)`, if there is one, the most important of it; `reckoning(results)` says how it was reckoned:
formula, constants, source.
"""
