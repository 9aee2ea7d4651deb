import torch
import torch.nn as nn
torch.manual_seed(0)
class Agent:
    def __init__(self):
        self.policy_net = nn.Linear(4, 2); self.target_net = nn.Linear(4, 2)
        self.target_net.load_state_dict(self.policy_net.state_dict())
        self.optimizer = torch.optim.RMSprop(self.policy_net.parameters(), lr=1e-3)
        self.memory = [torch.randn(16, 4) for _ in range(4)]
    def optimize_model(self):
        if len(self.memory) < 2: return
        state = self.memory[0]; nxt = self.memory[1]
        q = self.policy_net(state).gather(1, torch.zeros(16, 1, dtype=torch.long))
        with torch.no_grad():
            v = self.target_net(nxt).max(1)[0]
        expected = v * 0.9 + 1
        criterion = nn.SmoothL1Loss()
        loss = criterion(q, expected.unsqueeze(1))
        self.optimizer.zero_grad()
        loss.backward()
        for param in self.policy_net.parameters():
            param.grad.data.clamp_(-1, 1)
        self.optimizer.step()
        return loss
a = Agent()
for i in range(50): loss = a.optimize_model()
