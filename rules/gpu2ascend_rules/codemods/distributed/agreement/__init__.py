"""What all processes must do alike: decisions, and figures of all data."""
