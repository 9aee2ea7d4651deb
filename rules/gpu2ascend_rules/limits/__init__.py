"""What one file may cost: how deep it may nest, and how long it may be worked on."""
