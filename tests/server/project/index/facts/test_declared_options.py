"""Options that scripts declare, and the fields of dataclasses that parsers make options of."""

from __future__ import annotations

from gpu2ascend.project.index.facts.declared_options import declared_options


def test_options_of_parsers() -> None:
    code = b"parser.add_argument('-d', '--device', default='cuda')\n@click.option('--shout/--quiet')\n"
    assert declared_options(code) == ("-d", "--device", "--shout", "--quiet")


def test_flags_of_absl_are_given_with_hyphens() -> None:
    code = b"flags.DEFINE_enum('where', 'cpu', ['cpu', 'cuda'], 'text')\nDEFINE_string(\n  \"kind\", None)\n"
    assert declared_options(code) == ("--where", "--kind")


def test_parameters_that_fire_fills() -> None:
    code = (
        b"def go(where='cpu', *, kind: str = 'a', n=1):\n    pass\ndef put(other):\n    pass\nfire.Fire(go)\n"
    )
    assert declared_options(code) == ("--where", "--kind", "--n")


def test_fields_that_hold_texts() -> None:
    code = (
        b"from dataclasses import dataclass\n@dataclass\nclass A:\n    where: str = 'cuda'\n"
        b"    kind: Optional[str] = None\n    mode: Literal['a'] = 'a'\n    count: int = 1\n"
    )
    assert declared_options(code) == ("--where", "--kind", "--mode")


def test_annotations_of_other_classes_are_none() -> None:
    assert declared_options(b"class A:\n    where: str = 'cuda'\n") == ()


def test_a_variable_may_stand_for_the_method_that_declares() -> None:
    code = b"add = parser.add_argument\nadd('--where', default='cuda')\nput('--other')\n"
    assert declared_options(code) == ("--where",)
