"""torch.nn.TransformerEncoder"""

from mindspore import nn


class TransformerEncoder(nn.TransformerEncoder):
    """MindSpore's own, with torch's names of arguments; ``is_causal`` only says what the mask says."""

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__(encoder_layer, num_layers, norm=norm)

    def construct(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        return super().construct(src, mask, src_key_padding_mask)
