"""What the tools and files of the driver and of CANN say, read from their text."""
