"""Where a text that names a communication backend ends up."""
