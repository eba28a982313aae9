"""The linter: engine, rules and report formats."""
