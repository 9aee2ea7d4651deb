"""What single values are: parameters, gradients that come into a function, tensors in formatted text."""
