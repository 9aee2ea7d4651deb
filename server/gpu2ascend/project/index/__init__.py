"""What is known of a project beyond one file: its modules, methods, kernels and resolved members."""
