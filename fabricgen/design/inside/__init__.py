"""Links inside a tier: of pairs, along its dimensions, and between sites."""
