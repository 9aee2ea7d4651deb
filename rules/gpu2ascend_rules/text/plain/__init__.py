"""What a text is before anything is known of its language."""
