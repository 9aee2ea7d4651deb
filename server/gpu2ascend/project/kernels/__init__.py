"""The kernels of a project, sized: what each one is made of, who calls it, and what it takes to port it."""
