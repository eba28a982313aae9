"""Accept what `verify` found: write redlines (cables as they are plugged) and device names that make the plan what the
hall is.
"""
