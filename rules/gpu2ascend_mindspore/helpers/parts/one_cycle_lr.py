"""torch.optim.lr_scheduler.OneCycleLR"""

import math

from mindspore.experimental import optim


class OneCycleLR(optim.lr_scheduler.LRScheduler):
    """A learning rate that rises to ``max_lr`` and falls; a momentum that does the opposite."""

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
        anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
        final_div_factor=1e4, three_phase=False, last_epoch=-1,
    ):  # fmt: skip
        if last_epoch != -1 or (total_steps is None and (epochs is None or steps_per_epoch is None)):
            raise ValueError("give total_steps, or epochs and steps_per_epoch, and no last_epoch")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy is 'cos' or 'linear', not {anneal_strategy!r}")
        self.total_steps = epochs * steps_per_epoch if total_steps is None else total_steps
        groups, self.anneal_strategy = optimizer.param_groups, anneal_strategy
        self.max_lrs = list(max_lr) if isinstance(max_lr, (list, tuple)) else [max_lr] * len(groups)
        self.first_lrs = [one / div_factor for one in self.max_lrs]
        self.last_lrs = [one / final_div_factor for one in self.first_lrs]
        end, first = self.total_steps - 1, float(pct_start * self.total_steps) - 1
        self.ends = [first, 2 * first, end] if three_phase else [first, end]
        self.momentum = [base_momentum, max_momentum] if cycle_momentum else None
        self.made = 0
        super().__init__(optimizer, last_epoch)

    def _between(self, start, end, part):
        if self.anneal_strategy == "linear":
            return start + (end - start) * part
        return end + (start - end) / 2.0 * (1 + math.cos(math.pi * part))

    def _value(self, points, step):
        start = 0.0
        for end, low, high in zip(self.ends, points, points[1:]):
            if step <= end or end == self.ends[-1]:
                return self._between(low, high, (step - start) / (end - start))
            start = end
        raise AssertionError("the last phase ends behind all steps")

    def get_lr(self):
        step, self.made = self.made, self.made + 1
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        three = len(self.ends) == 3
        if self.momentum:
            low, high = self.momentum
            value = self._value([high, low, high, high] if three else [high, low, high], step)
            for group in self.optimizer.param_groups:
                if "betas" in group:
                    group["betas"] = (value, *group["betas"][1:])
                else:
                    group["momentum"] = value
        lrs = zip(self.first_lrs, self.max_lrs, self.last_lrs)
        return [self._value([a, b, a, c] if three else [a, b, c], step) for a, b, c in lrs]
