"""The configuration of the site's Chinese half."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.site.chinese import chinese_configuration

ENGLISH = """
docs_dir: sources/en
site_dir: html
markdown_extensions:
  - toc: {slugify: !!python/object/apply:some.slugify {kwds: {case: lower}}}
nav:
  - Home: index.md
  - Use: [{Rules: rules.md}]
extra:
  alternate: [{name: English, link: ./, lang: en}, {name: 中文, link: zh/, lang: zh}]
  chinese: {site_description: 说明, Home: 首页, Use: 使用, Rules: 规则}
"""


def test_it_inherits_and_translates_the_navigation(tmp_path: Path) -> None:
    english = tmp_path / "mkdocs.yml"
    english.write_text(ENGLISH, encoding="utf-8")
    made = json.loads(chinese_configuration(english))
    assert made["INHERIT"] == str(english)
    assert made["nav"] == [{"首页": "index.md"}, {"使用": [{"规则": "rules.md"}]}]
    assert made["docs_dir"] == str(tmp_path / "sources" / "zh")
    assert made["site_dir"] == str(tmp_path / "html" / "zh")


def test_the_way_to_the_other_language_is_from_its_own_top(tmp_path: Path) -> None:
    english = tmp_path / "mkdocs.yml"
    english.write_text(ENGLISH, encoding="utf-8")
    alternate = json.loads(chinese_configuration(english))["extra"]["alternate"]
    assert [(other["lang"], other["link"]) for other in alternate] == [("en", "../"), ("zh", "./")]


def test_a_name_without_a_translation_is_an_error(tmp_path: Path) -> None:
    english = tmp_path / "mkdocs.yml"
    english.write_text(ENGLISH.replace("Rules: 规则", "Ways: 方式"), encoding="utf-8")
    with pytest.raises(KeyError, match="Rules"):
        chinese_configuration(english)
