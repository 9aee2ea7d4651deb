"""torch.nn.Embedding"""

from mindspore import nn, ops
from mindspore.common.initializer import Normal


class Embedding(nn.Embedding):
    """An embedding whose row for padding gets no gradient; MindSpore's only begins with zeros there."""

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None):
        if padding_idx is not None and padding_idx < 0:
            padding_idx += num_embeddings
        super().__init__(num_embeddings, embedding_dim, embedding_table=Normal(1.0), padding_idx=padding_idx)
        self.padding = padding_idx

    def construct(self, ids):
        """The rows of the tokens."""
        rows = super().construct(ids)
        if self.padding is None:
            return rows
        return ops.where((ids == self.padding).expand_dims(-1), ops.stop_gradient(rows), rows)
