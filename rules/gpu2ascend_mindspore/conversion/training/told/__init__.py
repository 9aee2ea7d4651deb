"""What is told of training steps that are not converted."""
