"""A model that prefers flash attention, checked against what PyTorch computes."""
import torch
import torch.nn as nn
import torch.nn.functional as F

try:
    from flash_attn import flash_attn_func
except ImportError:
    flash_attn_func = None


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)

    def split(self, x):
        batch, length, _ = x.shape
        return self.qkv(x).view(batch, length, 3, self.heads, -1).unbind(2)

    def forward(self, x):
        q, k, v = self.split(x)
        return flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=True).flatten(2)

    def reference(self, x):
        q, k, v = (part.transpose(1, 2) for part in self.split(x))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)


def main():
    torch.manual_seed(0)
    model = Attention(32, 4).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x = torch.randn(2, 10, 32, device="cuda")
    y = x.roll(1, dims=1)
    losses = []
    for _ in range(8):
        output = model(x)
        torch.testing.assert_close(output, model.reference(x), rtol=1e-4, atol=1e-5)
        loss = F.mse_loss(output, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
