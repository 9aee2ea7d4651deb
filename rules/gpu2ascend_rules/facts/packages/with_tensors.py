"""Libraries that work with tensors of PyTorch, and that no other framework has a counterpart of."""

from __future__ import annotations

WITH_TENSORS_OF_TORCH = frozenset(
    {
        *("accelerate", "audiocraft", "deepspeed", "diffusers", "e3nn", "fairseq", "fastai", "lightning"),
        *("mmcv", "mmengine", "open_clip", "peft", "pytorch_lightning", "sentence_transformers", "timm"),
        *("torch_geometric", "transformers", "xformers"),
    }
)
"""By the names that are imported."""
