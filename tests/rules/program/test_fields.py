"""The default of a declared field is decided with the reads of the field in all files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.program.marked import decided

READ = "import torch\nfrom c import Config\ndef run(cfg: Config, x):\n    return x.to(cfg.where)\n"
PROJECTS: dict[str, dict[str, str]] = {
    "of a dataclass": {
        "c.py": "from dataclasses import dataclass\n@dataclass\nclass Config:\n    n: int = 1\n"
        "    where: str = 'cuda!'\n",
        "train.py": READ,
    },
    "of a dataclass, by field": {
        "c.py": "from dataclasses import dataclass, field\n@dataclass\nclass Config:\n"
        "    where: str = field(default='cuda!')\n",
        "train.py": READ,
    },
    "of a dataclass, by a factory": {
        "c.py": "from dataclasses import dataclass, field\n@dataclass\nclass Config:\n"
        "    where: str = field(default_factory=lambda: 'cuda!')\n",
        "train.py": READ,
    },
    "of a dataclass, given by keyword": {
        "c.py": "from dataclasses import dataclass\n@dataclass\nclass Config:\n    where: str = 'cuda!'\n",
        "train.py": READ,
        "main.py": "from c import Config\nfrom train import run\nrun(Config(where='cuda!'), x)\n",
    },
    "of a dataclass, given by position": {
        "c.py": "from dataclasses import dataclass\n@dataclass\nclass Config:\n    n: int\n"
        "    where: str = 'cpu'\n",
        "train.py": READ,
        "main.py": "from c import Config\nConfig(1, 'cuda!')\n",
    },
    "named as a device, given by position, of an object that is only likely to have it": {
        "c.py": "from dataclasses import dataclass\n@dataclass\nclass Config:\n    device: str = 'cuda!'\n",
        "train.py": "import torch\nfrom c import Config\ndef run(cfg):\n    x.to(cfg.device)\n"
        "run(Config('cuda!'))\n",
    },
    "of attrs": {
        "c.py": "import attrs\n@attrs.define\nclass Config:\n    where: str = attrs.field(default='cuda!')\n",
        "train.py": READ,
    },
    "of attrs with a validator": {
        "c.py": "import attr\n@attr.s(auto_attribs=True)\nclass Config:\n    where: str = attr.ib(\n"
        "        default='cuda!', validator=attr.validators.in_(['cpu', 'cuda+']))\n",
        "train.py": READ,
    },
    "of attrs with a validator by decorator, given by position": {
        "c.py": "import attr\n@attr.s\nclass Config:\n    where = attr.ib(default='cuda!')\n"
        "    @where.validator\n    def check(self, attribute, value):\n"
        "        if value not in ('cpu', 'cuda+'):\n            raise ValueError\n",
        "train.py": READ + "run(Config('cuda!'), x)\n",
    },
    "of pydantic with a validator": {
        "c.py": "from pydantic import BaseModel, field_validator\nclass Config(BaseModel):\n"
        "    where: str = 'cuda!'\n    other: str = 'cuda!'\n    @field_validator('where')\n"
        "    @classmethod\n"
        "    def check(cls, v):\n        if v not in ('cpu', 'cuda+'):\n            raise ValueError\n"
        "        return v\n",
        "train.py": READ + "    y.to(cfg.other)\n",
    },
    "of pydantic with a pattern": {
        "c.py": "from pydantic import BaseModel, Field\nclass Config(BaseModel):\n"
        "    where: str = Field('cuda!', pattern='cuda!|cpu')\n",
        "train.py": READ,
    },
    "of pydantic": {
        "c.py": "from pydantic import BaseModel\nclass Config(BaseModel):\n    where: str = 'cuda!'\n",
        "train.py": READ,
        "main.py": "from c import Config\nConfig(where='cuda!')\n",
    },
    "of pydantic, by Field": {
        "c.py": "from pydantic import BaseModel, Field\nclass Config(BaseModel):\n"
        "    where: str = Field('cuda!', description='place')\n",
        "train.py": READ,
    },
    "of pydantic, filled by the entries of a dictionary": {
        "c.py": "from typing import Literal\nfrom pydantic import BaseModel\nclass Run(BaseModel):\n"
        "    where: Literal['cpu', 'cuda+'] = 'cpu'\n    name: str = ''\n"
        "class Config(BaseModel):\n    run: Run\n",
        "train.py": "import torch\nfrom c import Config, Run\n"
        "config = Config.model_validate({'run': {'where': 'cuda!', 'name': 'cuda'}})\n"
        "x.to(config.run.where)\nprint(config.run.name)\nx.to(Run.parse_obj({'where': 'cuda!'}).where)\n",
    },
    "of an object that may be none": {
        "c.py": "from dataclasses import dataclass\n@dataclass\nclass Run:\n    where: str = 'cuda!'\n"
        "@dataclass\nclass Other:\n    where: str = 'cuda'\n",
        "train.py": "import torch\nfrom typing import Optional\nfrom c import Other, Run\n"
        "def put(x, run: Optional[Run] = None, others: list[Other] = ()):\n    x.to(run.where)\n"
        "    print(others)\n",
    },
    "filled by a library": {
        "c.py": "from dataclasses import dataclass\n@dataclass\nclass Run:\n    where: str\n"
        "    def put(self, x):\n        assert self.where in ('cpu', 'cuda+')\n        x.to(self.where)\n",
        "train.py": "import torch\nfrom dacite import from_dict\nfrom c import Run\n"
        "from_dict(Run, {'where': 'cuda!'}).put(x)\n",
    },
    "of a named tuple": {
        "c.py": "from typing import NamedTuple\nclass Config(NamedTuple):\n    n: int = 1\n"
        "    where: str = 'cuda!'\n",
        "train.py": READ,
        "main.py": "from c import Config\nConfig(1, 'cuda!')\n",
    },
    "of a typed dictionary": {
        "c.py": "from typing import TypedDict\nclass Config(TypedDict):\n    where: str\n",
        "train.py": "import torch\nfrom c import Config\ncfg = Config(where='cuda!')\nx.to(cfg['where'])\n"
        "ok = cfg['where'] == 'cuda!'\n",
    },
    "with a type that lists words": {
        "c.py": "from dataclasses import dataclass\nfrom typing import Literal\n@dataclass\nclass Config:\n"
        "    where: Literal['cpu', 'cuda+'] = 'cuda!'\n",
        "train.py": READ,
    },
    "with a type of another module that lists words": {
        "t.py": "from typing import Literal\nPlace = Literal['cpu', 'cuda+']\n",
        "c.py": "from dataclasses import dataclass\nfrom t import Place\n@dataclass\nclass Config:\n"
        "    where: Place = 'cuda!'\n",
        "train.py": READ,
    },
    "with choices": {
        "c.py": "from dataclasses import dataclass, field\n@dataclass\nclass Config:\n"
        "    where: str = field(\n"
        "        default='cuda!', metadata={'help': 'place', 'choices': ['cpu', 'cuda!']})\n",
        "train.py": READ,
    },
    "with choices, parsed by HfArgumentParser": {
        "c.py": "from dataclasses import dataclass, field\n@dataclass\nclass Config:\n"
        "    where: str = field(\n"
        "        default='cuda!', metadata={'choices': ['cpu', 'cuda!']})\n",
        "train.py": "import torch\nfrom transformers import HfArgumentParser\nfrom c import Config\n"
        "cfg, = HfArgumentParser(Config).parse_args_into_dataclasses()\nx.to(cfg.where)\n",
    },
    "of a field of a field": {
        "c.py": "from dataclasses import dataclass, field\n@dataclass\nclass Inner:\n"
        "    where: str = 'cuda!'\n"
        "@dataclass\nclass Config:\n    inner: Inner = field(default_factory=Inner)\n",
        "train.py": "import torch\nfrom c import Config\ndef run(cfg: Config, x):\n"
        "    return x.to(cfg.inner.where)\n",
    },
    "set on an object that a parameter is annotated as": {
        "c.py": "from dataclasses import dataclass\n@dataclass\nclass Config:\n    where: str = 'cpu'\n",
        "train.py": READ,
        "main.py": "from c import Config\ncfg = Config()\ncfg.where = 'cuda!'\n",
    },
    "replaced": {
        "c.py": "from dataclasses import dataclass\n@dataclass\nclass Config:\n    where: str = 'cpu'\n",
        "train.py": READ,
        "main.py": "from dataclasses import replace\nfrom c import Config\n"
        "cfg = replace(Config(), where='cuda!')\n",
    },
    "checked when the object is made": {
        "c.py": "from dataclasses import dataclass\n@dataclass\nclass Config:\n    where: str = 'cuda!'\n"
        "    def __post_init__(self):\n        assert self.where in ('cpu', 'cuda+')\n",
        "train.py": READ,
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_a_field_is_decided_by_its_readers(files: dict[str, str], tmp_path: Path) -> None:
    assert decided(files, tmp_path) == files
