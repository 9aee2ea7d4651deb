import torch
from backend import Dispatch, on_cuda

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

taken = []

if triton is not None:

    @triton.jit
    def _add_kernel(x, y, out, n, block: tl.constexpr):
        at = tl.program_id(0) * block + tl.arange(0, block)
        tl.store(out + at, tl.load(x + at) + tl.load(y + at))


def add_triton(x, y):
    taken.append("kernel")
    out = torch.empty_like(x)
    _add_kernel[(1,)](x, y, out, x.numel(), block=64)
    return out


def add_torch(x, y):
    taken.append("reference")
    return x + y


def swish_torch(x):
    taken.append("reference")
    return x * torch.sigmoid(x)


@on_cuda(swish_torch)
def swish(x):
    import swish_cuda

    taken.append("kernel")
    return swish_cuda.forward(x)


add = Dispatch(add_triton, plain=add_torch)


def attend(q, k, v):
    try:
        from flash_attn import flash_attn_func
    except ImportError:
        flash_attn_func = None
    if flash_attn_func is not None and all(item.is_cuda for item in (q, k, v)):
        return flash_attn_func(q, k, v)
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)
