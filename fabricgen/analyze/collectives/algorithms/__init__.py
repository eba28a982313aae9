"""Algorithms of collectives, a module each.

`KIND` names its constants in the profile of constants. `stages(collective, team)` returns the stages of the algorithm
for a message of 1 byte, one after the other, or None if it does not do that collective for that team.
"""
