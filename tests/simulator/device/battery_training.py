"""Training: forward, backward, optimizers, and that the numbers are those of the CPU."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from gpu2ascend_simulator.device import standalone

standalone.start()


def convolutional():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 4, 3, padding=1, groups=2),
        nn.GELU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4, 3),
    )


def perceptron():
    return nn.Sequential(nn.Flatten(), nn.Linear(192, 8), nn.Tanh(), nn.Linear(8, 3))


def transposed():
    return nn.Sequential(
        nn.Conv2d(3, 4, 3, stride=2, padding=1),
        nn.ConvTranspose2d(4, 2, 4, stride=2, padding=1),
        nn.InstanceNorm2d(2),
        nn.Flatten(),
        nn.Linear(128, 3),
    )


def volume():
    return nn.Sequential(
        nn.Unflatten(1, (1, 3)), nn.Conv3d(1, 2, 3, padding=1), nn.Flatten(), nn.Linear(384, 3)
    )


def transformer():
    layer = nn.TransformerEncoderLayer(24, 2, 32, dropout=0.0, batch_first=True)
    return nn.Sequential(
        nn.Flatten(1),
        nn.Unflatten(1, (8, 24)),
        nn.TransformerEncoder(layer, 2),
        nn.Flatten(),
        nn.Linear(192, 3),
    )


class Recurrent(nn.Module):
    def __init__(self, cell, **options):
        super().__init__()
        self.cell = cell(24, 12, batch_first=True, **options)
        self.head = nn.LazyLinear(3)

    def forward(self, images):
        return self.head(self.cell(images.reshape(len(images), 8, 24))[0][:, -1])


def losses(device, make_model, make_optimizer, steps=5):
    """What a few steps of training say, with the same seed on every device."""
    torch.manual_seed(0)
    model = make_model()
    data, labels = torch.randn(8, 3, 8, 8), torch.randint(0, 3, (8,))
    model(data)  # lazy layers have their sizes
    model.to(device)
    optimizer = make_optimizer(model.parameters())
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(data.to(device)), labels.to(device))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        found.append(loss.item())
    return found


def trains_as_on_the_cpu(make_model, make_optimizer=lambda parameters: torch.optim.SGD(parameters, 0.05)):
    expected = losses("cpu", make_model, make_optimizer)
    assert expected[-1] < expected[0]
    for device in ("npu:0", "npu:1"):
        torch.testing.assert_close(losses(device, make_model, make_optimizer), expected, rtol=1e-3, atol=1e-4)


def test_a_convolutional_network_trains_as_on_the_cpu():
    trains_as_on_the_cpu(convolutional)


def test_transposed_convolutions_train_as_on_the_cpu():
    trains_as_on_the_cpu(transposed)


def test_convolutions_of_volumes_train_as_on_the_cpu():
    trains_as_on_the_cpu(volume)


def test_a_transformer_trains_as_on_the_cpu():
    trains_as_on_the_cpu(transformer)


def test_lstm_trains_as_on_the_cpu():
    trains_as_on_the_cpu(lambda: Recurrent(nn.LSTM, num_layers=2, bidirectional=True))


def test_lstm_with_projection_and_without_bias_trains_as_on_the_cpu():
    trains_as_on_the_cpu(lambda: Recurrent(nn.LSTM, bias=False, proj_size=6))


def test_gru_trains_as_on_the_cpu():
    trains_as_on_the_cpu(lambda: Recurrent(nn.GRU, num_layers=2))


def test_plain_recurrence_trains_as_on_the_cpu():
    trains_as_on_the_cpu(lambda: Recurrent(nn.RNN))


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam"])
def test_optimizers_train_as_on_the_cpu(kind):
    trains_as_on_the_cpu(perceptron, lambda parameters: getattr(torch.optim, kind)(parameters, lr=0.01))


@pytest.mark.parametrize("how", ["foreach", "fused"])
@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW"])
def test_foreach_and_fused_optimizers_train_as_on_the_cpu(kind, how):
    trains_as_on_the_cpu(perceptron, lambda found: getattr(torch.optim, kind)(found, lr=0.01, **{how: True}))


def test_a_capturable_optimizer_keeps_its_steps_on_the_device():
    model = nn.Linear(2, 2).to("npu")
    optimizer = torch.optim.Adam(model.parameters(), capturable=True)
    model(torch.ones(1, 2, device="npu")).sum().backward()
    optimizer.step()
    assert all(state["step"].is_npu for state in optimizer.state.values())


def test_lbfgs_trains():
    model = nn.Linear(2, 1).to("npu")
    data, target = torch.randn(8, 2, device="npu"), torch.randn(8, 1, device="npu")
    optimizer = torch.optim.LBFGS(model.parameters())

    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(model(data), target)
        loss.backward()
        return loss

    first = closure().item()
    optimizer.step(closure)
    assert closure().item() < first


def test_packed_sequences_run_as_on_the_cpu():
    torch.manual_seed(0)
    cell = nn.LSTM(3, 4, batch_first=True)
    data, lengths = torch.randn(2, 5, 3), torch.tensor([5, 3])

    def run(device):
        packed = nn.utils.rnn.pack_padded_sequence(data.to(device), lengths, batch_first=True)
        return nn.utils.rnn.pad_packed_sequence(cell.to(device)(packed)[0], batch_first=True)[0]

    expected = run("cpu")
    torch.testing.assert_close(run("npu").cpu(), expected)


@pytest.mark.parametrize("causal", [False, True])
def test_scaled_dot_product_attention_is_that_of_the_cpu(causal):
    parts = [torch.randn(2, 4, 6, 8, requires_grad=True) for _ in range(3)]
    there = [part.detach().to("npu").requires_grad_() for part in parts]
    expected = F.scaled_dot_product_attention(*parts, is_causal=causal)
    result = F.scaled_dot_product_attention(*there, is_causal=causal)
    torch.testing.assert_close(result.cpu(), expected)
    expected.square().sum().backward()
    result.square().sum().backward()
    for one, other in zip(parts, there, strict=True):
        torch.testing.assert_close(other.grad.cpu(), one.grad)


def test_embeddings_gather_and_scatter():
    table = nn.Embedding(10, 4, padding_idx=0).to("npu")
    words = torch.tensor([[1, 2], [0, 9]], device="npu")
    table(words).sum().backward()
    assert table.weight.grad[0].eq(0).all() and table.weight.grad[9].eq(1).all()
    assert words.gather(1, torch.tensor([[1], [0]], device="npu")).tolist() == [[2], [0]]
    counts = torch.zeros(3, device="npu").scatter_add_(
        0, torch.tensor([0, 2, 2], device="npu"), torch.ones(3, device="npu")
    )
    assert counts.tolist() == [1.0, 0.0, 2.0]


@pytest.mark.parametrize(
    ("loss", "target"),
    [
        (F.mse_loss, lambda: torch.randn(4, 3)),
        (F.l1_loss, lambda: torch.randn(4, 3)),
        (F.smooth_l1_loss, lambda: torch.randn(4, 3)),
        (F.huber_loss, lambda: torch.randn(4, 3)),
        (F.cross_entropy, lambda: torch.randint(0, 3, (4,))),
        (F.multi_margin_loss, lambda: torch.randint(0, 3, (4,))),
        (F.binary_cross_entropy_with_logits, lambda: torch.rand(4, 3)),
        (F.kl_div, lambda: torch.rand(4, 3)),
    ],
)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.filterwarnings("error:An output with one or more elements was resized")
@pytest.mark.filterwarnings("ignore:reduction")
def test_losses_are_those_of_the_cpu(loss, target, reduction):
    data, wanted = torch.randn(4, 3), target()
    torch.testing.assert_close(
        loss(data.to("npu"), wanted.to("npu"), reduction=reduction).cpu(),
        loss(data, wanted, reduction=reduction),
    )


def test_ctc_loss_takes_its_lengths_on_the_cpu():
    rows = torch.randn(6, 2, 5).log_softmax(2)
    labels, lengths = torch.randint(1, 5, (2, 3)), (torch.tensor([6, 5]), torch.tensor([3, 2]))
    there = F.ctc_loss(rows.to("npu"), labels.to("npu"), *lengths)
    torch.testing.assert_close(there.cpu(), F.ctc_loss(rows, labels, *lengths))


@pytest.mark.parametrize(
    "operation",
    [
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False),
        lambda x: F.interpolate(x, size=(5, 5), mode="nearest"),
        lambda x: F.grid_sample(x, torch.zeros(2, 3, 3, 2, device=x.device), align_corners=False),
        lambda x: F.pixel_shuffle(x.repeat(1, 2, 1, 1)[:, :4], 2),
        lambda x: F.unfold(x, 3),
        lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"),
        lambda x: F.avg_pool2d(x, 2),
        lambda x: F.adaptive_max_pool2d(x, 2),
        lambda x: x.topk(2, dim=-1)[0],
        lambda x: torch.roll(x, 1, 2).flip(3),
        lambda x: torch.einsum("bchw,bdhw->bcd", x, x),
    ],
)
def test_operations_of_images_are_those_of_the_cpu(operation):
    data = torch.randn(2, 3, 6, 6)
    torch.testing.assert_close(operation(data.to("npu")).cpu(), operation(data))


def test_normalisations_and_activations_are_those_of_the_cpu():
    data = torch.randn(2, 4, 6)
    for module in (
        nn.GroupNorm(2, 4),
        nn.LayerNorm(6),
        nn.RMSNorm(6),
        nn.GELU(),
        nn.SiLU(),
        nn.PReLU(),
        nn.GLU(),
    ):
        expected = module(data)
        torch.testing.assert_close(module.to("npu")(data.to("npu")).cpu(), expected)


def test_weight_norm_is_a_parametrisation_on_the_device_too():
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)).to("npu")
    layer(torch.ones(1, 3, device="npu")).sum().backward()
    assert all(parameter.is_npu and parameter.grad.is_npu for parameter in layer.parameters())


def test_averaged_models_follow():
    model = nn.Linear(2, 2).to("npu")
    averaged = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.5)
    )
    averaged.update_parameters(model)
    before = model.weight.detach().clone()
    with torch.no_grad():
        model.weight.add_(2)
    averaged.update_parameters(model)
    torch.testing.assert_close(averaged.module.weight, before + 1)


def test_the_state_of_optimizer_and_schedule_can_be_restored():
    model = nn.Linear(2, 2).to("npu")
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=10)
    model(torch.ones(1, 2, device="npu")).sum().backward()
    optimizer.step()
    schedule.step()
    other = torch.optim.AdamW(model.parameters(), lr=0.3)
    again = torch.optim.lr_scheduler.OneCycleLR(other, 0.1, total_steps=10)
    other.load_state_dict(optimizer.state_dict())
    again.load_state_dict(schedule.state_dict())
    assert other.param_groups[0]["lr"] == optimizer.param_groups[0]["lr"]
    assert other.state[model.weight]["exp_avg"].is_npu
    other.step()


def test_synchronised_batch_norm_without_ranks_is_batch_norm():
    data = torch.randn(4, 3, 5, 5)
    plain, synchronised = nn.BatchNorm2d(3), nn.SyncBatchNorm(3).to("npu")
    torch.testing.assert_close(synchronised(data.to("npu")).cpu(), plain(data))


def test_groups_of_permuted_input_are_normalised():
    data = torch.randn(2, 3, 3, 4).permute(0, 3, 1, 2)
    expected = nn.functional.group_norm(data, 2)
    torch.testing.assert_close(nn.functional.group_norm(data.npu(), 2).cpu(), expected)


def test_encoders_take_padding():
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1).npu().eval()
    padding = torch.tensor([[False, False, True]], device="npu")
    with torch.no_grad():
        assert encoder(torch.randn(1, 3, 8, device="npu"), src_key_padding_mask=padding).is_npu
