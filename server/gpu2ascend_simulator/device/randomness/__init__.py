"""Random numbers of the devices, independent of those of the CPU."""
