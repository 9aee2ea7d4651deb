"""What single values are: parameters, gradients that come into a function, what other libraries give."""
