"""Which keys of configurations code makes devices of, or chooses back ends by."""

from __future__ import annotations

import pytest

from gpu2ascend.project.index.facts.read_settings import read_settings


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("torch.device(self.config.run_cfg.device)", ("device:run.device",)),
        ("torch.device(cfg.MODEL.DEVICE)", ("device:MODEL.DEVICE",)),
        ("torch.device(self.trainer.model_args.device)", ("device:model.device",)),
        ("torch.device(runConfig.device)", ("device:device",)),
        ('model.to(hparams["ssl_device"])', ("device:ssl_device",)),
        ("utils.get_device(device=cfg.device)", ("device:device",)),
        ("self.device = config.get('device', 'cpu')", ("device:device",)),
        ("torch.load(path, map_location=args.where)", ("device:where",)),
        ("dist.init_process_group(cfg.dist.backend)", ("backend:dist.backend",)),
        ("init_process_group(\n    backend=opt['dist']['kind'],\n)", ("backend:dist.kind",)),
        ("torch.device(trainConfig.deviceName)", ("device:deviceName",)),
        ("x.to(image.device)", ()),
        ("torch.zeros(1, device=self.weight.device)", ()),
        ("import lightning\nTrainer(accelerator=cfg.KIND)", ("accelerator:KIND",)),
        ("accelerator=cfg.KIND", ()),
        ("if device == cfg.device: pass", ()),
        ("torch.device(cfg.device())", ()),
        ("print(cfg.device)", ()),
    ],
)
def test_the_keys_of_a_chain(code: str, expected: tuple[str, ...]) -> None:
    assert read_settings(code.encode()) == expected


@pytest.mark.parametrize(
    "code",
    [
        "HfArgumentParser((A, B)).parse_yaml_file(path)",
        "parser.parse_json_file(json_file=path)",
        "TrlParser((A,)).parse_args_and_config()",
        "cfg = OmegaConf.structured(Config)",
        "import pyrallis",
    ],
)
def test_code_that_fills_dataclasses_from_files(code: str) -> None:
    assert read_settings(code.encode()) == ("fields:files",)


def test_the_command_line_alone_is_no_file() -> None:
    assert read_settings(b"HfArgumentParser((A, B)).parse_args_into_dataclasses()") == ()
