import math, sys
import torch
torch.manual_seed(0)
class Det(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.a = torch.nn.Linear(8, 8); self.b = torch.nn.Linear(8, 4)
    def forward(self, images, targets):
        f = torch.relu(self.a(images))
        return {"loss_box": (self.b(f) - targets).abs().mean(), "loss_cls": (f.mean(1) - 1).pow(2).mean()}
def reduce_dict(d): return {k: v.detach() for k, v in d.items()}
def train_one_epoch(model, optimizer, data_loader, device, epoch, print_freq):
    model.train()
    for images, targets in data_loader:
        images = images.to(device)
        loss_dict = model(images, targets)
        losses = sum(loss for loss in loss_dict.values())
        loss_dict_reduced = reduce_dict(loss_dict)
        loss_value = sum(loss_dict_reduced.values()).item()
        if not math.isfinite(loss_value):
            print("Loss is {}, stopping training".format(loss_value)); sys.exit(1)
        optimizer.zero_grad()
        losses.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5)
        optimizer.step()
    return losses
model = Det()
params = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.SGD(params, lr=0.05, momentum=0.9)
data = [(torch.randn(16, 8), torch.randn(16, 4)) for _ in range(5)]
for epoch in range(10): loss = train_one_epoch(model, optimizer, data, "cpu", epoch, 1)
