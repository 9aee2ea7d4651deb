"""What a run showed: merged from the records of its processes, explained by rules and tables."""
