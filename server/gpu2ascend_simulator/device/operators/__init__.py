"""What runs when an operator meets a tensor of the device."""
