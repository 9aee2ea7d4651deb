"""Which code of a project needs CUDA, and the ways by which a need travels."""
