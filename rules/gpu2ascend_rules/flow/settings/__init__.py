"""What the values of configurations are: by the code that reads them, and by libraries."""
