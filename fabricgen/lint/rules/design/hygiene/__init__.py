"""Rules on designs: settings, pools, waivers and phases of a blueprint that change nothing."""
