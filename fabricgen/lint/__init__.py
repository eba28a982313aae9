"""The linter: engine, rules, faults and report formats."""
