"""Facts about packages: which releases belong together, and which packages need CUDA."""
