"""Step one: from public documents and wheels, read and never run, to TSV files."""
