"""What NetBox holds of a cluster: its objects, kind by kind, in the order in which NetBox takes them."""
