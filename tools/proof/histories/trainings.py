"""What each project trains for three steps, with small arguments: put into its top directory and verified."""

from __future__ import annotations

_HEAD = "import os\nimport torch\nimport torch_npu\n\ntorch.manual_seed(0)\n"
_STEPS = """
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss().backward()
    optimizer.step()
"""
_WORDS = """
batch = torch.randint(0, 64, (2, 17), device="npu")


def loss():
    return torch.nn.functional.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())

"""
_PICTURES = """
inputs, labels = torch.randn(4, 3, 32, 32, device="npu"), torch.randint(0, 4, (4,), device="npu")


def loss():
    return torch.nn.functional.cross_entropy(model(inputs), labels)

"""
_BODIES = {
    "litgpt": """from litgpt.config import Config
from litgpt.model import GPT

model = GPT(Config(block_size=16, padded_vocab_size=64, n_layer=2, n_head=2, n_embd=16)).npu()
"""
    + _WORDS
    + _STEPS,
    "torchtune": """from torchtune.models.llama2 import llama2

sizes = {"num_heads": 2, "num_kv_heads": 2, "embed_dim": 16, "intermediate_dim": 32}
model = llama2(vocab_size=64, num_layers=2, max_seq_len=32, **sizes).npu()
"""
    + _WORDS
    + _STEPS,
    "nanochat": """os.environ["NANOCHAT_DTYPE"] = "float32"  # it asks CUDA otherwise
from nanochat.gpt import GPT, GPTConfig

model = GPT(GPTConfig(sequence_len=16, vocab_size=64, n_layer=2, n_head=2, n_kv_head=2, n_embd=256)).npu()
model.init_weights()
batch = torch.randint(0, 64, (2, 17), device="npu")


def loss():
    return model(batch[:, :-1].contiguous(), batch[:, 1:].contiguous())

"""
    + _STEPS,
    "OpenRLHF": """from openrlhf.models import GPTLMLoss

model = torch.nn.Embedding(64, 64).npu()
batch = torch.randint(0, 64, (2, 17), device="npu")


def loss():
    return GPTLMLoss()(model(batch), batch)

"""
    + _STEPS,
    "accelerate": """from accelerate import Accelerator

accelerator = Accelerator()
model = torch.nn.Linear(8, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.DataLoader([(torch.randn(8), n % 4) for n in range(12)], batch_size=4)
model, optimizer, data = accelerator.prepare(model, optimizer, data)
for inputs, labels in data:
    optimizer.zero_grad()
    accelerator.backward(torch.nn.functional.cross_entropy(model(inputs), labels))
    optimizer.step()
""",
    "peft": """from peft import LoraConfig, get_peft_model

body = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3072, 16), torch.nn.Linear(16, 4))
model = get_peft_model(body, LoraConfig(r=2, target_modules=["1", "2"])).npu()
"""
    + _PICTURES
    + _STEPS,
    "pytorch-image-models": """import timm

model = timm.create_model("vit_tiny_patch16_224", img_size=32, num_classes=4).npu()
"""
    + _PICTURES
    + _STEPS,
    "vit-pytorch": """from vit_pytorch import ViT

model = ViT(image_size=32, patch_size=8, num_classes=4, dim=32, depth=2, heads=2, mlp_dim=64).npu()
"""
    + _PICTURES
    + _STEPS,
    "x-transformers": """from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

layers = Decoder(dim=32, depth=2, heads=2)
model = AutoregressiveWrapper(TransformerWrapper(num_tokens=64, max_seq_len=64, attn_layers=layers)).npu()
batch = torch.randint(0, 64, (4, 33), device="npu")


def loss():
    return model(batch)

"""
    + _STEPS,
    "alphafold3-pytorch": """from alphafold3_pytorch.attention import Attention

model = Attention(dim=16, heads=2, dim_head=8).npu()
batch = torch.randn(2, 12, 16, device="npu")


def loss():
    return model(batch).square().mean()

"""
    + _STEPS,
    "trl": """import tempfile

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

words = {word: number for number, word in enumerate(["<pad>", "<eos>", "a", "b", "c", "d"])}
inner = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
inner.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="<eos>")
model = GPT2LMHeadModel(GPT2Config(vocab_size=6, n_positions=32, n_embd=16, n_layer=1, n_head=2))
arguments = SFTConfig(
    output_dir=tempfile.mkdtemp(),
    max_steps=3,
    per_device_train_batch_size=2,
    report_to=[],
    bf16=False,
    save_strategy="no",
    gradient_checkpointing=False,
)
data = Dataset.from_list([{"text": "a b c d a b"}] * 8)
SFTTrainer(model=model, args=arguments, train_dataset=data, processing_class=tokenizer).train()
""",
}
TRAININGS = {project: _HEAD + body for project, body in _BODIES.items()}
"""Scripts by the name of the repository."""
