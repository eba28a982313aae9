"""Sections of an analysis of networks whose switches meet within a tier: dragonflies, HyperX, tori.

Modules have the names of `analyze.sections` and do what those do; a section that is not here and needs the levels of a
Clos is told as not reckoned.
"""
