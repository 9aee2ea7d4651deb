"""Libraries that work with tensors of PyTorch, and that no other framework has a counterpart of."""

from __future__ import annotations

WITH_TENSORS_OF_TORCH = frozenset(
    {
        *("accelerate", "allennlp", "audiocraft", "botorch", "catalyst", "colossalai", "deepspeed"),
        *("detectron2", "dgl", "diffusers", "e3nn", "espnet", "espnet2", "fairseq", "fastai", "flair"),
        *("gpytorch", "ignite", "kornia", "lightning", "megatron", "mmcls", "mmcv", "mmdet", "mmdet3d"),
        *("mmengine", "mmpretrain", "mmseg", "monai", "nemo", "open_clip", "peft", "pyro", "pytorch3d"),
        *("pytorch_lightning", "segmentation_models_pytorch", "sentence_transformers", "skorch"),
        *("speechbrain", "timm", "torch_geometric", "torchrl", "torchtune", "transformers", "trl"),
        *("ultralytics", "vllm", "xformers"),
    }
)
"""By the names that are imported."""
