"""What a build writes besides configurations: listings, drawings, workbooks, and the formats of tables."""
