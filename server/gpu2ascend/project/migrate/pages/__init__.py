"""The report for people that belongs to a run: collected while it lasts, written in its end."""
