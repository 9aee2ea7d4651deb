"""What a preview shows, and which of its changes are chosen."""
