"""Rules on wiring plans: phases of a build-up, and figures that a blueprint expects of the plan.

At a phase, a node may lack all links into a fabric, or a device may need another that comes in a later phase.
"""
