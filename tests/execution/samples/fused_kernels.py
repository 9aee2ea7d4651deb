"""A block of a large language model, every operator written out."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rotated(x, cos, sin):
    """The same from its definition: each pair of coordinates turns by its angle."""
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    c, s = cos[..., :half], sin[..., :half]
    return torch.cat((a * c - b * s, b * c + a * s), dim=-1)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.norm = heads, RMSNorm(width)
        self.qkv, self.up, self.down = nn.Linear(width, 3 * width), nn.Linear(width, 4 * width), nn.Linear(2 * width, width)

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        normed = self.norm(x)
        torch.testing.assert_close(normed, F.rms_norm(x, (width,), self.norm.weight, self.norm.eps))
        q, k, v = self.qkv(normed).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        expected = rotated(q, cos, sin)
        q = (q * cos) + (rotate_half(q) * sin)
        k = (k * cos) + (rotate_half(k) * sin)
        torch.testing.assert_close(q, expected)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + attended.transpose(1, 2).reshape(batch, length, width)
        gate, value = self.up(x).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * value)


def run(device):
    torch.manual_seed(0)
    model, x = Block(32, 4), torch.randn(2, 8, 32)
    angles = torch.outer(torch.arange(8.0), 1.0 / 100.0 ** (torch.arange(0, 8, 2) / 8))
    angles = torch.cat((angles, angles), dim=-1)[None, None].to(device)
    model, x = model.to(device), x.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    losses = []
    for _ in range(8):
        loss = F.mse_loss(model(x, angles.cos(), angles.sin()), x.roll(1, dims=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, loss, losses


def main():
    model, loss, losses = run(torch.device("cuda"))
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
