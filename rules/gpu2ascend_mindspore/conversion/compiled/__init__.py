"""What a graph cannot hold, where ``ms.jit`` is to compile the training steps (``--graph``)."""
