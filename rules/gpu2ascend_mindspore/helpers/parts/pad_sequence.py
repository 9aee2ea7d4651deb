"""torch.nn.utils.rnn.pad_sequence"""

from mindspore import ops


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Sequences of different lengths as one tensor."""
    longest = max(one.shape[0] for one in sequences)
    padded = []
    for one in sequences:
        shape = (longest - one.shape[0], *one.shape[1:])
        if shape[0]:
            filling = ops.full_like(ops.zeros(shape, dtype=one.dtype), padding_value)
            one = ops.cat([one, filling] if padding_side == "right" else [filling, one])
        padded.append(one)
    return ops.stack(padded, axis=0 if batch_first else 1)
