"""Names that say what they mean: the evidence that local type inference goes by."""

from __future__ import annotations

INTEGER_NAMES = frozenset(
    {
        "rank", "local_rank", "global_rank", "node_rank", "world_size", "gpu", "gpu_id", "gpu_idx",
        "gpu_index", "gpuid", "device_id", "device_idx", "device_index", "dev_id", "local_gpu_id",
        "local_process_index", "ngpus_per_node", "ngpus", "n_gpu", "num_gpus",
    }
)  # fmt: skip
"""Distributed PyTorch code gives these names to ordinals and counts."""

INTEGER_LISTS = frozenset(
    {"device_ids", "gpu_id_list", "gpu_ids", "gpu_list", "gpuids", "gpus", "local_gpu_ids", "local_ranks"}
)
"""Names that such code gives to lists of ordinals."""

INTEGER_ATTRIBUTES = frozenset({"index", "ndim", "itemsize"})
"""Attributes of devices and tensors that are numbers."""

INTEGER_CALLS = frozenset(
    {
        "get_rank", "get_world_size", "current_device", "device_count", "get_local_rank", "numel",
        "dim", "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved",
    }
)  # fmt: skip
"""Functions and methods, of torch and of common launch helpers, that return a number."""

KEEPS_RECEIVER = frozenset(
    {
        "cuda", "npu", "cpu", "to", "half", "float", "double", "bfloat16", "train", "eval", "type",
        "requires_grad_", "share_memory", "contiguous", "clone", "detach", "apply", "to_empty",
    }
)  # fmt: skip
"""Methods that give back what they are called on, or another object of its kind."""

TENSOR_METHODS = frozenset(
    {
        "view", "reshape", "permute", "transpose", "unsqueeze", "squeeze", "expand", "expand_as",
        "mean", "sum", "matmul", "mm", "bmm", "softmax", "log_softmax", "argmax", "flatten",
        "unsqueeze_", "squeeze_", "fill_", "zero_", "copy_", "normal_", "uniform_", "masked_fill",
        "new_zeros", "new_ones", "new_empty", "new_tensor", "new_full", "detach_", "clamp", "repeat",
        "gather", "index_select", "pow", "sqrt", "exp", "long", "int", "bool", "byte",
    }
)  # fmt: skip
"""Methods that only tensors commonly have, and that give a tensor."""

TENSOR_ATTRIBUTES = frozenset({"data", "grad", "weight", "bias", "T", "mT"})

NOT_TENSORS = frozenset(
    {
        "load", "save", "device", "dtype", "Generator", "Size", "is_tensor", "is_floating_point",
        "is_complex", "is_storage", "is_grad_enabled", "manual_seed", "seed", "initial_seed",
        "get_rng_state", "set_rng_state", "no_grad", "enable_grad", "inference_mode", "set_grad_enabled",
        "autocast", "compile", "get_default_dtype", "set_default_dtype", "set_default_tensor_type",
        "set_default_device", "get_num_threads", "set_num_threads", "finfo", "iinfo", "typename",
        "hub", "jit", "allclose", "equal", "numel", "can_cast", "promote_types", "result_type",
        "set_printoptions", "split", "chunk", "unbind", "meshgrid", "max", "min", "topk", "sort",
        "use_deterministic_algorithms", "set_float32_matmul_precision", "get_device_module",
        "is_autocast_enabled", "broadcast_shapes", "Stream", "Event",
    }
)  # fmt: skip
"""Functions directly below ``torch`` whose result is no tensor, or not one alone."""

MODULE_BASES = frozenset(
    {
        "nn.Module", "torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module",
        "pytorch_lightning.LightningModule", "lightning.LightningModule",
        "lightning.pytorch.LightningModule", "transformers.PreTrainedModel",
        "torch.jit.ScriptModule", "apex.parallel.DistributedDataParallel",
    }
)  # fmt: skip
"""Classes, by the names under which they are commonly met, that are or derive from ``nn.Module``."""
