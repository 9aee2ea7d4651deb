"""Linear algebra in double precision."""

import torch

x = torch.randn(4, 4, dtype=torch.float64, device="cuda")  # FAILS: DT_DOUBLE
print((x @ x.t()).trace().item())
