"""Functions of torch's Python half that need to know the device better than its hooks allow."""
