"""Flags are the options' own; what is wrong with arguments is reported in one line that says what to do."""

from __future__ import annotations

import argparse
import inspect
import re
from pathlib import Path

import pytest

from gpu2ascend.cli.commands import ROOMS
from gpu2ascend.cli.commands.projects import analyze as analyze_command
from gpu2ascend.cli.commands.projects import check as check_command
from gpu2ascend.cli.commands.projects import migrate as migrate_command
from gpu2ascend.cli.parsing.parser import CommandParser
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.messages import LANGUAGES, catalogue
from gpu2ascend_rules.model.versions import NEWEST, SUPPORTED_VERSIONS
from gpu2ascend_rules.options.options import MigrationOptions, option_infos

from .conftest import Run

PARSERS = [migrate_command._parser, check_command._parser, analyze_command._parser]
SHARED = option_infos()["main_file"].flags
"""Of a migration's own option; other commands take them for entries."""
ONLY_MIGRATE = (
    *("distributed", "main_file", "target_model", "launcher", "nnodes"),
    *("amp_transplant", "amp_model"),
    *("from_cpu", "enable_amp", "modelarts", "large_files"),
)
"""The options that only a migration acts on."""
NOT_OF_CHECK = ("dynamic_analysis",)
"""The options that a check does not act on."""
ONLY_ANALYZE = ("modes",)
"""The options that only an analysis acts on."""
ALWAYS = {
    migrate_command._parser: ("unknown_apis", "restricted_apis"),
    analyze_command._parser: ("unknown_apis",),
}
"""The options that a command always follows: it shows no flags for them."""


def taken(make: object) -> list[str]:
    """The options that a command shows flags for."""
    left_out = () if make is migrate_command._parser else ONLY_MIGRATE
    others = () if make is analyze_command._parser else ONLY_ANALYZE
    unheeded = NOT_OF_CHECK if make is check_command._parser else ()
    always = ALWAYS.get(make, ()) if callable(make) else ()
    return [name for name in option_infos() if name not in (*left_out, *others, *unheeded, *always)]


def flags_of(parser: CommandParser) -> dict[str, set[str]]:
    flags: dict[str, set[str]] = {}
    for action in parser._actions:
        if action.help is not argparse.SUPPRESS:
            flags.setdefault(action.dest, set()).update(action.option_strings)
    return flags


class TestFlagsAreTheDefinition:
    @pytest.mark.parametrize("make", PARSERS)
    @pytest.mark.parametrize("name", option_infos())
    def test_every_option_has_exactly_its_flags(self, make: object, name: str) -> None:
        assert callable(make)
        wanted = set(option_infos()[name].flags) if name in taken(make) else set()
        wanted |= set(SHARED) if name == "entries" and make is not migrate_command._parser else set()
        assert flags_of(make(Texts("en"))).get(name, set()) == wanted

    def test_every_option_has_a_flag_and_a_help_text(self) -> None:
        for name, info in option_infos().items():
            assert info.flags, name
            for language in LANGUAGES:
                assert info.help_id in catalogue(language), name

    def test_help_texts_tell_the_real_defaults(self) -> None:
        defaults = MigrationOptions()
        for name in ("hardware", "api_style"):
            value = getattr(defaults, name).value
            assert f"default: {value})" in catalogue("en")[option_infos()[name].help_id]

    @pytest.mark.parametrize("make", PARSERS)
    def test_switches_can_be_turned_off(self, make: object) -> None:
        assert callable(make)
        parser: CommandParser = make(Texts("en"))
        for name in taken(make):
            if isinstance(getattr(MigrationOptions(), name), bool):
                assert getattr(parser.read([f"--{name.replace('_', '-')}"]), name) is True
                assert getattr(parser.read([f"--no-{name.replace('_', '-')}"]), name) is False
                assert getattr(parser.read([]), name) is None

    @pytest.mark.parametrize("make", PARSERS)
    def test_sim_is_a_flag_of_its_own_beside_s(self, make: object) -> None:
        assert callable(make)
        parser: CommandParser = make(Texts("en"))
        both = parser.read(["-sim", "-s"])
        assert (both.replace_unsupported, both.specify_device) == (True, True)
        only = parser.read(["-sim"])
        assert (only.replace_unsupported, only.specify_device) == (True, None)

    def test_message_ids_that_the_code_names_exist(self) -> None:
        """An id in a call of the texts that no catalogue has would only be found by a user."""
        package = Path(inspect.getfile(check_command)).parent
        named = {
            found
            for path in package.rglob("*.py")
            for found in re.findall(r'"(cli\.[a-z0-9_.]+)"', path.read_text(encoding="utf-8"))
        }
        assert named <= catalogue("en").keys()


class TestBadUsage:
    @pytest.mark.parametrize(
        ("arguments", "reported"),
        [
            (["check", "--fixx"], "did you mean --fix"),
            (["check", "--zzz"], "unknown option --zzz; see `gpu2ascend check --help`"),
            (["check", "--hardware"], "--hardware needs a value"),
            (["check", "--fix=yes"], "--fix takes no value"),
            (["check", "--hardware", "310P3"], "'310P3' is a device for inference; train on one of A2, A3"),
            (["check", "--hardware", "910"], "'910' is not one of A2, A3, 950DT, 910A"),
            (["check", "-v", "9.9"], str(NEWEST)),
            (["check", "--output-format", "xml"], "'xml' is not one of text, json, sarif, github"),
            (["check", "--jobs", "0"], "whole number of at least 1"),
            (["check", "--jobs", "two"], "whole number of at least 1"),
            (["check", "--select", "NPU999"], "unknown rule or code prefix 'NPU999'"),
            (["check", "--ignore", "cuda-namespac"], "did you mean cuda-namespace"),
            (["check", "--language", "fr"], "choose one of en, zh"),
            (["check", "-", "a.py"], "can only be checked alone"),
            (["check", "--stdin-filename", "a.py"], "give - as the path"),
            (["migrate"], "-i/--input"),
            (["migrate", "-i", "x"], "--diff"),
            (["migrate", "-i", "x", "-o", "y", "stray"], "unexpected argument 'stray'"),
            (["explain"], "name one rule or one API"),
            (["explain", "a", "b"], "name one rule or one API"),
            (["chekc"], "did you mean check"),
            (["nonsense"], "the commands are migrate, check, analyze, explain, lsp"),
            (["-i", "x"], "gpu2ascend migrate -i"),
        ],
    )
    def test_one_line_and_exit_code_2(self, run: Run, arguments: list[str], reported: str) -> None:
        ran = run(*arguments)
        assert ran.code == 2
        assert reported in ran.err
        assert ran.err.startswith("gpu2ascend: error: ") and ran.err.count("\n") == 1
        assert ran.out == ""

    def test_in_chinese(self, run: Run) -> None:
        ran = run("--language", "zh", "check", "--hardware", "910")
        assert ran.code == 2
        assert ran.err.startswith("gpu2ascend: 错误：--hardware：“910”不在可选值之内")


class TestFlagsOfAMigration:
    @pytest.mark.parametrize("command", ["check", "analyze"])
    @pytest.mark.parametrize(
        "flag", [flag for name in ONLY_MIGRATE for flag in option_infos()[name].flags if flag not in SHARED]
    )
    def test_are_refused_elsewhere(self, run: Run, project: Path, command: str, flag: str) -> None:
        ran = run(command, project, "-v", "2.8.0", flag, "model")
        assert (ran.code, ran.out) == (2, "")
        reported = f"{flag} belongs to `gpu2ascend migrate`; `gpu2ascend {command}` does nothing with it"
        assert ran.err == f"gpu2ascend: error: {reported}\n"

    @pytest.mark.parametrize("command", ["check", "analyze"])
    @pytest.mark.parametrize("flag", SHARED)
    def test_the_main_file_is_an_entry_elsewhere(
        self, run: Run, project: Path, command: str, flag: str
    ) -> None:
        assert run(command, project, "-v", "2.8.0", flag, "train.py").code == 1
        ran = run(command, project, "-v", "2.8.0", flag, "nowhere.py")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == "gpu2ascend: error: the main file nowhere.py does not exist\n"

    def test_what_an_analysis_acts_on_too_is_refused_by_a_check(self, run: Run, project: Path) -> None:
        flags = ("-v", "2.8.0", "--dynamic-analysis")
        assert "--dynamic-analysis belongs to" in run("check", project, *flags).err
        assert run("analyze", project, *flags).code in (0, 1)

    @pytest.mark.parametrize("flag", ["--launcher=deepspeed", "--no-distributed", "--no-amp-transplant"])
    def test_are_refused_in_every_form(self, run: Run, project: Path, flag: str) -> None:
        ran = run("check", project, "-v", "2.8.0", flag)
        assert ran.code == 2 and f"{flag.partition('=')[0]} belongs to `gpu2ascend migrate`" in ran.err

    @pytest.mark.parametrize("command", ["check", "analyze"])
    def test_settings_of_a_migration_are_no_matter_to_other_commands(
        self, run: Run, project: Path, command: str
    ) -> None:
        settings = '[tool.gpu2ascend]\ndistributed = true\ntarget_model = "nowhere"\nnnodes = 2\n'
        (project / "pyproject.toml").write_text(settings, encoding="utf-8")
        assert run(command, project, "-v", "2.8.0").code == 1


class TestFlagsOfTheVendorsTool:
    @pytest.mark.parametrize("flags", [["--analysis"], ["--analysis=x"]])
    def test_are_refused_with_the_command_to_use_instead(self, run: Run, flags: list[str]) -> None:
        ran = run("migrate", "-i", "x", "-o", "y", "-v", "2.8.0", *flags)
        assert ran.code == 2
        assert flags[0].partition("=")[0] in ran.err
        assert "gpu2ascend analyze" in ran.err


class TestHelp:
    @pytest.mark.parametrize("command", ["migrate", "check", "analyze", "explain"])
    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_every_command_explains_itself(self, run: Run, command: str, language: str) -> None:
        ran = run(command, "--help", "--language", language)
        assert (ran.code, ran.err) == (0, "")
        assert f"gpu2ascend {command}" in ran.out
        assert catalogue(language)[f"cli.{command}.description"][:20] in ran.out

    def test_headings_have_the_colon_of_the_language(self, run: Run) -> None:
        english, chinese = (run("check", "--help", "--language", name).out for name in ("en", "zh"))
        assert english.startswith("usage: gpu2ascend check") and "\noptions:\n" in english
        assert chinese.startswith("用法：gpu2ascend check") and "\n选项：\n" in chinese
        assert "\n命令：\n" in run("--help", "--language", "zh").out

    def test_overview(self, run: Run) -> None:
        ran = run("--help")
        assert ran.code == 0
        assert all(f"  {command} " in ran.out for command in ROOMS)

    def test_without_arguments_the_overview_is_an_error(self, run: Run) -> None:
        ran = run()
        assert ran.code == 2
        assert ran.out.startswith("usage: gpu2ascend")


class TestDocumentation:
    """docs/cli.md is the reference: what it leaves out does not exist for its readers."""

    TEXT = (Path(__file__).parents[3] / "docs" / "cli.md").read_text(encoding="utf-8")

    @pytest.mark.parametrize("make", PARSERS)
    def test_names_every_flag(self, make: object) -> None:
        assert callable(make)
        for flags in flags_of(make(Texts("en"))).values():
            assert all(
                f"`{flag}`" in self.TEXT or f"`{flag} " in self.TEXT for flag in flags - {"-h", "--help"}
            )

    def test_names_every_version_and_every_setting(self) -> None:
        assert all(str(version) in self.TEXT for version in SUPPORTED_VERSIONS)
        assert all(f"`{name}`" in self.TEXT for name in option_infos())


@pytest.mark.parametrize("command", ["check", "migrate"])
def test_the_mode_of_an_analysis_is_refused_elsewhere(run: Run, command: str) -> None:
    ran = run(command, "--mode", "torch_apis")
    assert ran.code == 2 and "--mode" in ran.err


def test_a_mode_that_there_is_not_is_refused_with_those_that_there_are(run: Run) -> None:
    ran = run("analyze", "--mode", "torch_apis,dynamic")
    assert ran.code == 2 and "torch_apis, third_party, affinity_apis" in ran.err
