"""The symmetric form of a cluster: groups and bundles, sized and counted without expansion."""
