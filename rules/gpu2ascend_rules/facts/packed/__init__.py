"""The packed form of the tables: sorted rows, and what they mean for one hardware family."""
