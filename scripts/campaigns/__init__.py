"""The parts of scripts/campaign. Each has a NAME and a run(bench, end) that works until `end` and gives a Tally."""
