"""What NetBox holds of a cluster: one model of its objects, in the order in which NetBox takes them."""
