"""What other packages see of a cluster, and what they add: outputs and rules."""
