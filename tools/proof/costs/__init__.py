"""What an operator on the emulated CANN costs beside the CPU."""
