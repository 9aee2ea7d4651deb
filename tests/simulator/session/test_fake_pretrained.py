"""Models and tokenizers that are on the hub only are made up from their classes and names."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gpu2ascend_simulator.session.fake_data import pretrained

KINDS = {"bert": "BertConfig", "distilbert": "DistilBertConfig", "gpt_neo": "GPTNeoConfig", "t5": "T5Config"}


class Config:
    """As a configuration of transformers."""

    def __init__(self, kind: str, **given: Any) -> None:
        self.model_type = kind
        self.num_labels, self.num_hidden_layers, self.hidden_size, self.intermediate_size = 2, 12, 768, 3072
        if kind == "gpt_neo":
            self.hidden_size = 4096
        self.__dict__.update(given)

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
        return dict(self.__dict__)

    @classmethod
    def from_pretrained(cls, name: str, **kwargs: Any) -> Any:
        """What is on the hub cannot be had."""
        if name == "here":
            return "read"
        raise ValueError("bad") if name == "wrong" else OSError("no connection")


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What stands for transformers; what was noted."""
    auto = SimpleNamespace(for_model=lambda kind, **given: Config(kind, **given))
    made = SimpleNamespace(AutoConfig=auto, noted=[], Config=type("AutoConfig", (Config,), {}))
    made.Config.from_pretrained = classmethod(vars(Config)["from_pretrained"].__func__)
    monkeypatch.setitem(sys.modules, "transformers", made)
    names = SimpleNamespace(CONFIG_MAPPING_NAMES=KINDS)
    monkeypatch.setitem(sys.modules, "transformers.models.auto.configuration_auto", names)
    pretrained._change(made, name="Config", make=pretrained._config, note=made.noted.append)
    return made


@pytest.mark.parametrize(
    ("name", "kind"),
    [("distilbert-base", "distilbert"), ("org/BERT-large", "bert"), ("EleutherAI/gpt-neo-1.3B", "gpt_neo")],
)
def test_a_name_names_the_kind_of_model(library: Any, name: str, kind: str) -> None:
    assert library.Config.from_pretrained(name).model_type == kind
    assert library.noted == [f"AutoConfig {name}: made up"]


def test_a_model_has_few_layers_and_what_the_code_gives_it(library: Any) -> None:
    made = library.Config.from_pretrained("bert-base", num_labels=7)
    assert (made.num_hidden_layers, made.hidden_size, made.num_labels) == (2, 768, 7)


def test_a_wide_model_is_less_wide(library: Any) -> None:
    assert library.Config.from_pretrained("gpt-neo").hidden_size == 1024


def test_arguments_that_say_what_is_read_are_used_up(library: Any) -> None:
    given = {"revision": "main", "num_labels": 3, "answers": 1, "return_unused_kwargs": True}
    assert library.Config.from_pretrained("t5-small", **given)[1] == {"answers": 1}


def test_what_is_here_is_read(library: Any) -> None:
    assert (library.Config.from_pretrained("here"), library.noted) == ("read", [])


def test_of_an_unknown_kind_nothing_is_made_up(library: Any) -> None:
    with pytest.raises(OSError, match="no connection"):
        library.Config.from_pretrained("somebody/something")


def test_a_folder_that_is_here_and_not_whole_stays_an_error(library: Any, tmp_path: Path) -> None:
    (tmp_path / "bert").mkdir()
    with pytest.raises(OSError, match="no connection"):
        library.Config.from_pretrained(str(tmp_path / "bert"))


def test_an_error_that_is_not_of_a_missing_file_stays(library: Any) -> None:
    library.Config.model_type = "bert"
    with pytest.raises(ValueError, match="bad"):
        library.Config.from_pretrained("wrong")


class Tokenizer:
    """As a tokenizer of transformers."""

    all_special_tokens = ("[PAD]", "[UNK]")

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    @classmethod
    def from_pretrained(cls, name: str) -> Tokenizer:
        """Without its files it knows special tokens only."""
        return cls(1000 if name == "cached" else 2)


@pytest.mark.parametrize(("name", "found"), [("cached", 1000), ("bert-base", 300)])
def test_a_tokenizer_of_special_tokens_only_is_made_up(
    monkeypatch: pytest.MonkeyPatch, name: str, found: int
) -> None:
    monkeypatch.setattr(Tokenizer, "from_pretrained", vars(Tokenizer)["from_pretrained"])
    module = SimpleNamespace(Tokenizer=Tokenizer)
    made = lambda *_: Tokenizer(300)  # noqa: E731
    pretrained._change(module, name="Tokenizer", make=made, note=lambda _: None)
    assert len(Tokenizer.from_pretrained(name)) == found


def test_an_encoding_that_would_be_downloaded_takes_bytes() -> None:
    def get_encoding(encoding_name: str) -> str:
        if encoding_name != "cached":
            raise ConnectionError
        return "read"

    noted: list[str] = []
    module = SimpleNamespace(
        get_encoding=get_encoding, model=SimpleNamespace(), Encoding=lambda name, **given: given
    )
    pretrained.make_up_encodings(module, noted.append)
    made = module.model.get_encoding("gpt2")
    assert (made["special_tokens"], len(made["mergeable_ranks"])) == ({"<|endoftext|>": 50256}, 256)
    assert (module.get_encoding("cached"), noted) == ("read", ["tiktoken gpt2: made up"])
