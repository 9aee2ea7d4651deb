import torch

torch.manual_seed(1)
inputs = torch.randn(32, 3)
targets = inputs.sum(1, keepdim=True)
data = torch.utils.data.TensorDataset(inputs, targets)
loader = torch.utils.data.DataLoader(data, batch_size=8)
net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
loss_function = torch.nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
history = []
for epoch in range(8):
    for x, y in loader:
        optimizer.zero_grad()
        x = x * 1.0
        loss = loss_function(net(x), y)
        loss.backward()
        optimizer.step()
        history.append(float(loss.detach().numpy()))


def place(tensor):
    return getattr(tensor, "dev" + "ice")


print(f"first loss {history[0]} last loss {history[-1]}")
print(f"loss on {place(loss)} parameters on {place(next(net.parameters()))}")
