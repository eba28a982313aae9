"""Report formats of `plan`, one file each: `report(change)`."""
