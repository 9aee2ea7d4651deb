"""Layers, their functions, and containers of them."""

import math
import re

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal


# add_module: torch.nn.Module.add_module
def add_module(module, name, part):
    """Add a part to a module; one of a sequence is called in its turn."""
    if not isinstance(module, nn.SequentialCell):
        setattr(module, name, part)
        return
    module.insert_child_to_cell(name, part)
    part.update_parameters_name(re.sub(r"[^\w.-]", "_", f"{name}."))
    module.cell_list = list(module.cells())


# calculate_gain: torch.nn.init.calculate_gain
_GAINS = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def calculate_gain(nonlinearity, param=None):
    """By how much weights are larger before a function that makes values smaller."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if not nonlinearity.startswith(("linear", "conv")) and nonlinearity not in {*_GAINS, "sigmoid"}:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS.get(nonlinearity, 1)


# channel_shuffle: torch.nn.functional.channel_shuffle
def channel_shuffle(input, groups):
    """The channels, the first of each group first; MindSpore's own has no gradient."""
    batch, channels = input.shape[:2]
    return input.reshape((batch, groups, channels // groups, -1)).swapaxes(1, 2).reshape(input.shape)


# checkpoint: torch.utils.checkpoint.checkpoint
def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, **kwargs):
    """The function itself: what it computes is kept for the gradient, and not computed again."""
    return function(*args, **kwargs)


# embedding: torch.nn.Embedding
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


# from_pretrained: torch.nn.Embedding.from_pretrained
def from_pretrained(embeddings, freeze=True, padding_idx=None):
    """An embedding with given rows, which are trained only if they are not frozen."""
    layer = Embedding(*embeddings.shape, padding_idx=padding_idx)
    layer.embedding_table = Parameter(embeddings, name="embedding_table", requires_grad=not freeze)
    return layer


# functional_embedding: torch.nn.functional.embedding
def embedding(input, weight, padding_idx=None):
    """The rows of the tokens; the one for padding gets no gradient."""
    rows = ops.gather(weight, input, 0)
    if padding_idx is None:
        return rows
    place = padding_idx + weight.shape[0] if padding_idx < 0 else padding_idx
    return ops.where((input == place).expand_dims(-1), ops.stop_gradient(rows), rows)


# instance_norm: A norm over each channel of each sample.
class _InstanceNorm(nn.Cell):
    """``nn.InstanceNorm`` of MindSpore computes on Ascend only, and has the averages always."""

    def __init__(
        self, num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None,
        dtype=None,
    ):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum, self.affine = num_features, eps, momentum, affine
        self.track_running_stats = track_running_stats
        kind = dtype or ms.float32
        self.weight = Parameter(ops.ones(num_features, kind), name="weight") if affine else None
        self.bias = Parameter(ops.zeros(num_features, kind), name="bias") if affine else None
        if track_running_stats:
            self.register_buffer("running_mean", ops.zeros(num_features, kind))
            self.register_buffer("running_var", ops.ones(num_features, kind))

    def _along_channels(self, values):
        return values.reshape((1, -1) + (1,) * self.axes)

    def construct(self, input):
        if input.ndim == self.axes + 1:
            return self._normed(input.expand_dims(0)).squeeze(0)
        return self._normed(input)

    def _normed(self, x):
        over = tuple(range(2, self.axes + 2))
        if self.track_running_stats and not self.training:
            mean, var = self._along_channels(self.running_mean), self._along_channels(self.running_var)
        else:
            mean = x.mean(axis=over, keep_dims=True)
            var = ((x - mean) * (x - mean)).mean(axis=over, keep_dims=True)
            if self.track_running_stats:
                self._follow(mean, var, x.size // (x.shape[0] * x.shape[1]))
        x = (x - mean) / ops.sqrt(var + self.eps)
        return x * self._along_channels(self.weight) + self._along_channels(self.bias) if self.affine else x

    def _follow(self, mean, var, count):
        part = self.momentum
        mean = ops.stop_gradient(mean).mean(axis=0).reshape(-1)
        var = ops.stop_gradient(var).mean(axis=0).reshape(-1) * (count / (count - 1))
        self.running_mean[:] = (1 - part) * self.running_mean + part * mean
        self.running_var[:] = (1 - part) * self.running_var + part * var


# instance_norm_1d: torch.nn.InstanceNorm1d
class InstanceNorm1d(_InstanceNorm):
    """The norm for samples of 1 dimension."""

    axes = 1


# instance_norm_2d: torch.nn.InstanceNorm2d
class InstanceNorm2d(_InstanceNorm):
    """The norm for samples of 2 dimensions."""

    axes = 2


# instance_norm_3d: torch.nn.InstanceNorm3d
class InstanceNorm3d(_InstanceNorm):
    """The norm for samples of 3 dimensions."""

    axes = 3


# layer_norm: torch.nn.functional.layer_norm
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """A tensor less its mean, by its deviation, over the last dimensions."""
    axes = tuple(range(-len(normalized_shape), 0))
    centred = input - input.mean(axes, keep_dims=True)
    result = centred * ops.rsqrt((centred * centred).mean(axes, keep_dims=True) + eps)
    result = result if weight is None else result * weight
    return result if bias is None else result + bias


# layer_norm_cell: torch.nn.LayerNorm
class LayerNorm(nn.LayerNorm):
    """A norm over the last dimensions, with weights or without."""

    def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True):
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        super().__init__(shape, epsilon=eps)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        if not elementwise_affine:
            del self.gamma
        if not (elementwise_affine and bias):
            del self.beta

    def construct(self, input):
        """The values less their mean, divided by their deviation."""
        weight, bias = (getattr(self, name, None) for name in ("gamma", "beta"))
        return layer_norm(input, self.normalized_shape, weight, bias, self.eps)


# lstm_cell: torch.nn.LSTMCell
class LSTMCell(nn.LSTMCell):
    """A step of an LSTM, which begins with zeros if it is given no state."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, has_bias=bias, dtype=dtype or ms.float32)

    def construct(self, input, hx=None):
        if input.ndim == 1:
            state = None if hx is None else tuple(one.expand_dims(0) for one in hx)
            return tuple(one.squeeze(0) for one in self.construct(input.expand_dims(0), state))
        if hx is None:
            zeros = ops.zeros((input.shape[0], self.hidden_size), input.dtype)
            hx = (zeros, zeros)
        return super().construct(input, hx)


# module_dict: torch.nn.ModuleDict
class ModuleDict(nn.Cell):
    """Modules by their names, also such as hold others, which MindSpore's own dictionary refuses."""

    def __init__(self, modules=None):
        super().__init__()
        self.update(modules or {})

    def update(self, modules):
        for name, one in modules.items() if hasattr(modules, "items") else modules:
            self[name] = one

    def __setitem__(self, name, one):
        self.insert_child_to_cell(name, one)

    def __getitem__(self, name):
        return self._cells[name]

    def __delitem__(self, name):
        del self._cells[name]

    def __contains__(self, name):
        return name in self._cells

    def __iter__(self):
        return iter(self._cells)

    def __len__(self):
        return len(self._cells)

    def keys(self):
        return self._cells.keys()

    def values(self):
        return self._cells.values()

    def items(self):
        return self._cells.items()

    def pop(self, name):
        return self._cells.pop(name)

    def clear(self):
        self._cells.clear()


# parameter_dict: torch.nn.ParameterDict
class ParameterDict(nn.Cell):
    """Parameters by their names, as a part of a module."""

    def __init__(self, parameters=None):
        super().__init__()
        self.held = {}
        self.update(parameters or {})

    def update(self, parameters):
        for name, one in parameters.items() if hasattr(parameters, "items") else parameters:
            self[name] = one

    def __setitem__(self, name, one):
        one = one if isinstance(one, Parameter) or not isinstance(one, Tensor) else Parameter(one)
        if isinstance(one, Parameter):
            self.insert_param_to_cell(name, one, check_name_contain_dot=False)
        self.held[name] = one

    def __getitem__(self, name):
        return self.held[name]

    def __contains__(self, name):
        return name in self.held

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)

    def get(self, name, default=None):
        return self.held.get(name, default)

    def keys(self):
        return self.held.keys()

    def values(self):
        return self.held.values()

    def items(self):
        return self.held.items()


# parameter_list: torch.nn.ParameterList
class ParameterList(nn.Cell):
    """Parameters in order, as a part of a module, to which others may be added."""

    def __init__(self, values=None):
        super().__init__()
        self.held = []
        self.extend(values or ())

    def append(self, one):
        one = one if isinstance(one, Parameter) or not isinstance(one, Tensor) else Parameter(one)
        if isinstance(one, Parameter):
            self.insert_param_to_cell(str(len(self.held)), one)
        self.held.append(one)
        return self

    def extend(self, values):
        for one in values:
            self.append(one)
        return self

    def __iadd__(self, values):
        return self.extend(values)

    def __setitem__(self, index, one):
        one = one if isinstance(one, Parameter) or not isinstance(one, Tensor) else Parameter(one)
        self.insert_param_to_cell(str(range(len(self.held))[index]), one)
        self.held[index] = one

    def __getitem__(self, index):
        return self.held[index]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


# scaled_dot_product_attention: torch.nn.functional.scaled_dot_product_attention
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """The values weighed by how well their keys fit the queries."""
    if enable_gqa:
        raise ValueError("scaled_dot_product_attention: enable_gqa has no counterpart")
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = ops.matmul(query * scale, key.swapaxes(-2, -1))
    if is_causal:
        attn_mask = ops.ones((query.shape[-2], key.shape[-2]), dtype=ms.float32).tril() > 0
    if attn_mask is not None and attn_mask.dtype == ms.bool_:
        scores = ops.masked_fill(scores, ops.logical_not(attn_mask), float("-inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = ops.softmax(scores, axis=-1)
    return ops.matmul(ops.dropout(weights, p=dropout_p, training=True) if dropout_p else weights, value)


# selu: torch.nn.functional.selu
def selu(input, inplace=False):
    """Scaled exponential units; the gradient of MindSpore's own is another one below zero."""
    below = 1.6732632423543772 * (ops.exp(ops.clamp(input, max=0)) - 1)
    return 1.0507009873554805 * ops.where(input > 0, input, below)


# selu_layer: torch.nn.SELU
class SELU(nn.Cell):
    """Scaled exponential units as a layer."""

    def __init__(self, inplace=False):
        super().__init__()

    def construct(self, input):
        return selu(input)


# softplus_layer: torch.nn.Softplus
class Softplus(nn.Cell):
    """The smooth form of a rectifier as a layer."""

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def construct(self, input):
        return ops.softplus(input, self.beta, self.threshold)


# transformer_encoder: torch.nn.TransformerEncoder
class TransformerEncoder(nn.TransformerEncoder):
    """MindSpore's own, with torch's names of arguments; ``is_causal`` only says what the mask says."""

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__(encoder_layer, num_layers, norm=norm)

    def construct(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        return super().construct(src, mask, src_key_padding_mask)
