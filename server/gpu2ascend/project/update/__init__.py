"""A new migration is merged into an earlier output: what people changed there stays."""
