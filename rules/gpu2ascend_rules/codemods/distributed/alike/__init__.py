"""What is the same in all processes, and where all of them come by."""
