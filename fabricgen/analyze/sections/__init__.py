"""The sections of an analysis, a module each.

`ORDER` is its place among them, `figures(network, job, asked)` makes its JSON, `lines(figures)` tells it to people, and
`reckoning(figures)` how it was reckoned: formula, constants, source.
"""
