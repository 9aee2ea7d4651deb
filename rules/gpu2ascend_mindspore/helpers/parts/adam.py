"""torch.optim.Adam"""

from mindspore.experimental import optim


class Adam(optim.AdamW):
    """Adam with weight decay in the gradients.

    MindSpore's Adam adds epsilon before it corrects the averages, and has no amsgrad; its AdamW is torch's.
    """

    def __init__(
        self,
        params,
        lr=0.001,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
    ):
        super().__init__(
            params,
            lr=float(lr),
            betas=betas,
            eps=eps,
            weight_decay=float(weight_decay),
            amsgrad=amsgrad,
            maximize=maximize,
        )

    def implementation(self, lr, weight_decay, beta1, beta2, amsgrad, eps, grads, start_id, end_id):
        if weight_decay:
            parameters = self.parameters[start_id:end_id]
            grads = tuple(grad + weight_decay * one for grad, one in zip(grads, parameters))
        return super().implementation(lr, 0.0, beta1, beta2, amsgrad, eps, grads, start_id, end_id)
