"""Mixed precision: which operators cast, and how."""
