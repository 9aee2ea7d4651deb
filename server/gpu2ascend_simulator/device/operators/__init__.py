"""What runs when any other operator meets a tensor of the device: checked here, computed by the CPU."""
