"""What went wrong in a training, by the text of its log."""
