"""What a test for CUDA decides over, what needs CUDA, and what runs where CUDA is not there."""
