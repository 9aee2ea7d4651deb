"""What a migration left, handed over to a person or an agent as work orders."""
