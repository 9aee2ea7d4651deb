"""``from_pretrained`` of transformers that makes up models and tokenizers which are on the hub only."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..imports import after_import
from . import Note

_LAYERS = re.compile(r"(?:num_|n_)?(?:hidden_|encoder_|decoder_)?layers?")
_FEW_LAYERS = 2
_WIDTHS = {"hidden_size": 1024, "intermediate_size": 2048}
"""The most that a made-up model has: those of language models are as wide as their memory is large."""
_SPECIAL = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
    "bos_token": "<s>",
    "eos_token": "</s>",
}
_LONGEST_TEXT = 512
_LAST_TOKENS = {"gpt2": 50256, "cl100k_base": 100257, "o200k_base": 199999}
"""The token that ends a text, by the encoding of tiktoken: vocabularies are sized by it."""
_OF_FILES = (
    *("cache_dir", "force_download", "local_files_only", "revision", "subfolder", "token", "proxies"),
    *("use_auth_token", "code_revision", "resume_download", "trust_remote_code", "_commit_hash"),
    "return_unused_kwargs",
)
"""Arguments that say which files are read, which no model gets."""
_LIKE_NAMES = re.compile(r"[^a-z0-9]")


def make_up_pretrained(note: Note) -> None:
    """Change what loads by a name, for good: what is here is read, and nothing is downloaded any more.
    Called before any of it is imported, as the packages then ask how they may load."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    for module, name, make in _CHANGED:
        change = functools.partial(_change, name=name, make=make, note=note)
        after_import(f"transformers.{module}", change)


def make_up_encodings(module: Any, note: Note) -> None:
    """Change ``get_encoding`` of tiktoken, for good: an encoding that would be downloaded takes bytes."""
    original = module.get_encoding

    @functools.wraps(original)
    def get_encoding(encoding_name: str) -> Any:
        try:
            return original(encoding_name)
        except OSError:  # requests has such errors, too
            note(f"tiktoken {encoding_name}: made up")
            last = _LAST_TOKENS.get(encoding_name, _LAST_TOKENS["gpt2"])
            return module.Encoding(
                encoding_name,
                pat_str=r"\S+|\s+",
                mergeable_ranks={bytes([value]): value for value in range(256)},
                special_tokens={"<|endoftext|>": last},
            )

    module.get_encoding = module.model.get_encoding = get_encoding


def _change(module: Any, *, name: str, make: Callable[..., Any], note: Note) -> None:
    owner = getattr(module, name, None)
    if owner is None:
        return
    original = owner.from_pretrained.__func__

    @functools.wraps(original)
    def from_pretrained(cls: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
        error: OSError | None = None
        found = None
        try:
            found = original(cls, name, *args, **kwargs)
        except OSError as missing:
            error = missing
        is_missing = (error is not None or _is_empty(found)) and not os.path.exists(str(name))  # noqa: PTH110
        made = make(cls, str(name), kwargs) if is_missing else None
        if made is not None:
            note(f"{cls.__name__} {name}: {_said(made)}")
            return made
        if error is not None:
            raise error
        return found

    owner.from_pretrained = classmethod(from_pretrained)


def _is_empty(found: Any) -> bool:
    """Whether a tokenizer knows special tokens only: transformers 5 makes such a one without its files."""
    special = getattr(found, "all_special_tokens", None)
    return special is not None and len(found) <= len(special) + 1


def _said(made: Any) -> str:
    return (
        "a model with RANDOM WEIGHTS, whose answers mean nothing"
        if hasattr(made, "parameters")
        else "made up"
    )


def _config(cls: Any, name: str, kwargs: Mapping[str, Any]) -> Any:
    """A configuration with the sizes that its class has by default, and few layers."""
    kind = getattr(cls, "model_type", "") or _kind(f"{name} {cls.__name__}")
    if not kind:
        return None
    auto = importlib.import_module("transformers").AutoConfig
    default = auto.for_model(kind)
    given = {key: value for key, value in kwargs.items() if hasattr(default, key)}
    try:
        made = auto.for_model(kind, **_smaller(default), **given)
    except (TypeError, ValueError):  # its sizes depend on each other
        made = auto.for_model(kind, **given)
    if kwargs.get("return_unused_kwargs"):
        return made, {key: value for key, value in kwargs.items() if key not in (*given, *_OF_FILES)}
    return made


def _kind(text: str) -> str:
    """The kind of model that a text names: the longest, as ``distilbert`` is another one than ``bert``."""
    names = importlib.import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING_NAMES
    plain = _LIKE_NAMES.sub("", text.lower())
    return max((kind for kind in names if _LIKE_NAMES.sub("", kind) in plain), key=len, default="")


def _smaller(default: Any) -> dict[str, int]:
    sizes = {key: value for key, value in default.to_dict().items() if isinstance(value, int)}
    layers = {key: _FEW_LAYERS for key, value in sizes.items() if _LAYERS.fullmatch(key) and value > 1}
    is_wide = sizes.get("hidden_size", 0) > _WIDTHS["hidden_size"]
    return layers | ({key: most for key, most in _WIDTHS.items() if key in sizes} if is_wide else {})


def _model(cls: Any, name: str, kwargs: Mapping[str, Any]) -> Any:
    """A model of a class with random weights."""
    given = kwargs.get("config")
    config = given if hasattr(given, "to_dict") else _config(cls.config_class, name, kwargs)
    if config is None:
        return None
    torch: Any = importlib.import_module("torch")
    kinds = (kwargs.get("dtype"), kwargs.get("torch_dtype"))
    kind = next((kind for kind in kinds if isinstance(kind, torch.dtype)), None)
    accelerator = torch.accelerator.current_accelerator() if kwargs.get("device_map") else None
    return cls(config).to(device=accelerator, dtype=kind).eval()


def _tokenizer(cls: Any, _: str, kwargs: Mapping[str, Any]) -> Any:
    """A tokenizer of bytes, with the special tokens of its class."""
    library = importlib.import_module("tokenizers")
    taken = inspect.signature(cls.__init__).parameters
    own = {key: str(taken[key].default) for key in _SPECIAL if key in taken and taken[key].default}
    special = {**(own or _SPECIAL), **{key: str(kwargs[key]) for key in _SPECIAL if kwargs.get(key)}}
    letters = sorted(library.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: at for at, token in enumerate(dict.fromkeys((*special.values(), *letters)))}
    made = library.Tokenizer(library.models.BPE(vocabulary, [], unk_token=special.get("unk_token")))
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = library.decoders.ByteLevel()
    first, last = special.get("cls_token"), special.get("sep_token", special.get("eos_token"))
    ends = [token for token in (first, last) if token]
    one, two = (" ".join(filter(None, (first, *parts))) for parts in (("$A", last), ("$A", last, "$B", last)))
    made.post_processor = library.processors.TemplateProcessing(
        single=one, pair=two, special_tokens=[(token, vocabulary[token]) for token in dict.fromkeys(ends)]
    )
    fast = importlib.import_module("transformers").PreTrainedTokenizerFast
    longest = kwargs.get("model_max_length", _LONGEST_TEXT)
    return fast(tokenizer_object=made, model_max_length=longest, **special)


def _by_default(cls: Any, _: str, __: Mapping[str, Any]) -> Any:
    return cls()


_CHANGED = (
    ("configuration_utils", "PretrainedConfig", _config),
    ("models.auto.configuration_auto", "AutoConfig", _config),
    ("modeling_utils", "PreTrainedModel", _model),
    ("tokenization_utils_base", "PreTrainedTokenizerBase", _tokenizer),
    ("models.auto.tokenization_auto", "AutoTokenizer", _tokenizer),
    ("feature_extraction_utils", "FeatureExtractionMixin", _by_default),
    ("image_processing_base", "ImageProcessingMixin", _by_default),
)
"""Classes by their modules, with what makes one up in place of what is not here."""
