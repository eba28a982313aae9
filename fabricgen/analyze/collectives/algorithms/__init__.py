"""Algorithms of collectives, a module each.

`KIND` names its constants in the profile of constants, and `stages(collective, team)` tells what it does for a
message of 1 byte, or None where it does not do that collective for that team.
"""
