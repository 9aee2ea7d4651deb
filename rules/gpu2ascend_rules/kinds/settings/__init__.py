"""Values of configurations, in whatever language, and what the readers of these languages share."""
