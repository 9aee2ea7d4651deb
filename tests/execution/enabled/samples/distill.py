import torch, copy
import torch.nn.functional as F
torch.manual_seed(0)
def mlp(w): return torch.nn.Sequential(torch.nn.Linear(8, w), torch.nn.Tanh(), torch.nn.Linear(w, 3))
class Distiller:
    def __init__(self, student, teacher, accumulate=2):
        self.student, self.teacher, self.accumulate = student, teacher.eval(), accumulate
        self.ema = copy.deepcopy(student)
        self.opts = {"main": torch.optim.AdamW(self.student.parameters(), lr=5e-3)}
        self.steps = 0
    def losses(self, x, y):
        with torch.no_grad():
            soft = self.teacher(x).softmax(-1)
        out = self.student(x)
        return F.cross_entropy(out, y), F.kl_div(out.log_softmax(-1), soft, reduction="batchmean")
    def fit(self, batches):
        for x, y in batches:
            hard, soft = self.losses(x, y)
            total = (0.5 * hard + 0.5 * soft) / self.accumulate
            total.backward()
            self.steps += 1
            if self.steps % self.accumulate: continue
            norms = [float(p.grad.norm()) for p in self.student.parameters()]
            assert max(norms) < 1e3, "gradients look scaled"
            self.opts["main"].step(); self.opts["main"].zero_grad(set_to_none=True)
            with torch.no_grad():
                for a, b in zip(self.ema.parameters(), self.student.parameters()): a.lerp_(b, 0.1)
        return total
d = Distiller(mlp(16), mlp(32))
batches = [(torch.randn(32, 8), torch.randint(0, 3, (32,))) for _ in range(10)]
for _ in range(10): loss = d.fit(batches)
