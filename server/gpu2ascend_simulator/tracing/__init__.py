"""Notes the tensors of a training; :mod:`.tensors` is also written, as it is, for GPUs and NPUs of users."""
