"""From the start of the process to the last handler: what is announced at once, what is loaded afterwards."""
