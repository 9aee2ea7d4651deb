import torch
from torch import nn, optim
from torch.nn import functional as F
torch.manual_seed(0)
X = torch.rand(64, 16)
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(16, 32); self.mu = nn.Linear(32, 4); self.lv = nn.Linear(32, 4); self.dec = nn.Linear(4, 16)
    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std * 0.01
    def forward(self, x):
        h = F.relu(self.enc(x)); mu, lv = self.mu(h), self.lv(h)
        return torch.sigmoid(self.dec(self.reparameterize(mu, lv))), mu, lv
model = VAE()
optimizer = optim.Adam(model.parameters(), lr=1e-3)
def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 16), reduction='sum')
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD
def train(epoch):
    model.train()
    train_loss = 0
    optimizer.zero_grad()
    recon_batch, mu, logvar = model(X)
    loss = loss_function(recon_batch, X, mu, logvar)
    loss.backward()
    train_loss += loss.item()
    optimizer.step()
    return loss
for epoch in range(50):
    loss = train(epoch)
