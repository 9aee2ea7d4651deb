"""Where double precision comes from: in tensors of torch, and in the arrays that they are made of."""
