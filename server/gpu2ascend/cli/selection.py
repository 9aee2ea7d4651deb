"""From flags over settings to the options of a check or a migration."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.choices import AnalysisMode
from gpu2ascend_rules.options.contradictions import NOT_OF_TARGET, not_of_target, refuse_contradictions
from gpu2ascend_rules.options.effects import CODES, SHOWN_BY
from gpu2ascend_rules.options.options import MigrationOptions, OptionError, option_infos, options_from
from gpu2ascend_rules.targets.target import Target

from ..project.files.places import input_directory
from ..project.index.sources.directories import project_directory
from ..project.options.custom_rules import with_custom_rules
from ..project.options.effects import require_effects
from ..project.options.made_for import MadeFor, made_for, over_settings
from ..project.options.settings import ProjectSettings, find_settings, settings_of_folder, unread_settings
from ..project.options.version_detect import version_for, version_notice, version_of_reading
from ..project.paths import exists, is_directory, resolved
from .output.errors import UsageError
from .output.language import choose_language
from .parsing.parser import opposites, unknown_name
from .session import Session

_PATTERNS = {"--select": "select", "--ignore": "ignore", "--severity": "severities"}
"""The flags that take patterns of rules, and their options."""


def selected_options(
    namespace: argparse.Namespace, start: Path, session: Session, again: MadeFor | None = None
) -> MigrationOptions:
    """The options for a file or directory: its project's settings, with the flags in their place.

    The session goes on in the language that flag and settings choose.

    Args:
        again: What an output was made with that is made again; between the settings and the flags.

    Raises:
        UsageError: a flag has a value that its option does not take, or names no rule.
        SettingsError: the settings cannot be read, or hold what is no option.
    """
    problems: list[Message] = []
    heeds_project = _heeds_project(namespace, again)
    settings = _settings(start, problems) if heeds_project else None
    if settings is not None and is_directory(start) and len(getattr(namespace, "paths", ())) < 2:
        settings = settings_of_folder(settings, start)
    language = settings.language if settings is not None else None
    session.use_language(choose_language(namespace.language, language))
    for problem in problems:
        session.warn(session.texts.of(problem))
    base = settings.options if settings is not None else MigrationOptions()
    made = again or (made_for(start) if heeds_project else None)
    base = over_settings(made, base, settings.path if settings is not None else None)
    options = _with_flags(namespace, base)
    _report_inexact_version(namespace.version, session)
    _refuse_without_effect(namespace, options)
    severities = [entry.partition("=")[0] for entry in options.severities]
    _require_rules((*options.select, *options.ignore, *severities))
    if any(getattr(namespace, dest, None) for dest in _PATTERNS.values()):
        _require_chosen_rules(options, namespace)
    return options


def with_version(
    namespace: argparse.Namespace, start: Path, session: Session, *, is_there: bool = True
) -> MigrationOptions:
    """The options for a path; without a version in flags and settings, that of the project.

    Args:
        is_there: Whether there must be something at the path.

    Raises:
        UsageError: a flag has a value that its option does not take.
        ProjectError: there is nothing, or files are to be changed and the version is not known.
    """
    if is_there and not exists(start):
        input_directory(start)  # says so, before anything is said of versions
    options = with_custom_rules(selected_options(namespace, start, session))
    is_written = getattr(namespace, "fix", False)
    if options.select and (is_written or getattr(namespace, "diff", False)):
        from gpu2ascend_rules.hosting import selected_together

        options = attrs.evolve(options, select=selected_together(options))
    if options.version is not None:
        return options
    place = resolved(start)
    project = project_directory(place / "any.py" if is_directory(place) else place)
    detected = (
        version_for(options.target, project, options.hardware)
        if is_written
        else version_of_reading(options.target, project, options.hardware)
    )
    if options.target.version_option == "version":  # else torch's says nothing of the new text
        session.warn(session.texts.of(detected.notice))
    return attrs.evolve(options, version=detected.version)


def _heeds_project(namespace: argparse.Namespace, again: MadeFor | None) -> bool:
    """Whether the project's own settings count: by the flag, else as before."""
    chosen: bool | None = getattr(namespace, "project_settings", None)
    if chosen is None and again is not None:
        return again.values.get("project_settings") is not False
    return chosen is not False


def _settings(start: Path, problems: list[Message]) -> ProjectSettings | None:
    """The settings for a file or directory, also those of the current directory above it."""
    here = _current_directory()
    found = find_settings(start, here, tell=problems.append)
    unread = unread_settings(start, here) if found is None else None
    if unread is not None:
        problems.append(unread)
    return found


def _current_directory() -> Path | None:
    """None where it was removed."""
    try:
        return Path.cwd()
    except OSError:
        return None


def flag_options(namespace: argparse.Namespace, session: Session) -> MigrationOptions:
    """The options that the flags alone choose: for a command about many projects.
    Raises UsageError: a flag has a value that its option does not take, or names no rule."""
    session.use_language(choose_language(namespace.language, None))
    options = _with_flags(namespace, MigrationOptions())
    _report_inexact_version(namespace.version, session)
    _require_rules((*options.select, *options.ignore))
    if namespace.select or namespace.ignore:
        _require_chosen_rules(options, namespace)
    return options


def awaits_effects(namespace: argparse.Namespace) -> bool:
    """Whether a flag asks for something of which a project may have none."""
    return any(getattr(namespace, name, None) for name in CODES)


def require_effects_of_flags(
    namespace: argparse.Namespace, options: MigrationOptions, codes: Collection[str]
) -> None:
    """Refuse a flag for which a whole project has nothing, as a migration does; settings are for all.

    Args:
        codes: Of the rules that found something.

    Raises:
        InputError: there is one.
    """
    typed = {name: getattr(options, name) for name in CODES if getattr(namespace, name, None)}
    require_effects(attrs.evolve(MigrationOptions(), **typed), codes)


def typed_options(namespace: argparse.Namespace) -> list[str]:
    """The options of a migration that flags have chosen, as words for the line of another command."""
    words: list[str] = []
    for name, info in option_infos().items():
        value = getattr(namespace, name, None)
        if isinstance(value, bool):
            words.append(info.flags[0] if value else opposites(info)[0])
        elif isinstance(value, list):
            words += [word for entry in value for word in (info.flags[0], entry)]
        elif value is not None:
            words += [info.flags[0], str(value)]
    return words


def job_count(text: str | None) -> int:
    """The value of ``--jobs``; 0, for one process per core, without it.
    Raises UsageError: it is no number of processes."""
    if text is None:
        return 0
    if not text.isdecimal() or int(text) < 1:
        raise UsageError("cli.error.jobs", value=text)
    return int(text)


def output_format_of(wanted: str | None, formats: Sequence[str]) -> str:
    """The value of ``--output-format``; the first one without it.
    Raises UsageError: there is no such format."""
    if wanted is None:
        return formats[0]
    if wanted not in formats:
        choices = ", ".join(formats)
        raise UsageError("cli.error.bad_choice", flag="--output-format", value=wanted, choices=choices)
    return wanted


def _with_flags(namespace: argparse.Namespace, base: MigrationOptions) -> MigrationOptions:
    values = {name: getattr(namespace, name, None) for name in option_infos()}
    given = {name: _joined(value) for name, value in values.items() if value is not None}
    if "amp_model" in given:
        given.setdefault("amp_transplant", True)  # -a alone asks for it, as in the vendor's tool
    try:
        options = options_from(given, base)
    except OptionError as error:
        raise _bad_value(error, given) from error
    try:
        refuse_contradictions(options)
    except OptionError as error:
        if error.reason.id == NOT_OF_TARGET:  # it names the option
            raise UsageError("cli.error.usage", reason=error.reason) from error
        raise UsageError("cli.error.option", name=_spelled(error.option), reason=error.reason) from error
    return options


def _refuse_without_effect(namespace: argparse.Namespace, options: MigrationOptions) -> None:
    """A flag whose option counts only beside another one that was not chosen.
    Raises UsageError: there is one."""
    infos, usual = option_infos(), MigrationOptions()
    for name, info in infos.items():
        value = getattr(namespace, name, None)
        if value is None or getattr(options, name) == getattr(usual, name):
            continue
        for other, wanted in info.depends_on:
            if other == "distributed":  # a word of its own command, which has a text for it
                continue
            if isinstance(wanted, bool) and getattr(options, other) is not wanted:
                flag, needed = infos[name].name, infos[other].name
                raise UsageError("cli.error.needs_flag", flag=flag, other=needed)
    for name, code in SHOWN_BY.items():
        if getattr(namespace, name, None) and not options.route.owns(code):
            raise UsageError("cli.error.usage", reason=not_of_target(name, options))
    if AnalysisMode.ADVICE.value in _words(namespace, "modes") and not options.advice:
        mode = f"{infos['modes'].flags[0]} {AnalysisMode.ADVICE.value}"
        raise UsageError("cli.error.excludes", flag=mode, other=opposites(infos["advice"])[0])
    if getattr(namespace, "require_rule_matches", None) and options.custom_rule is None:
        rule = infos["custom_rule"].name
        raise UsageError("cli.error.needs_flag", flag=infos["require_rule_matches"].name, other=rule)


def _words(namespace: argparse.Namespace, name: str) -> list[str]:
    """The words of a flag that may be repeated, and takes comma-separated lists, too."""
    given = getattr(namespace, name, None) or ()
    return [word.strip() for value in given for word in value.split(",")]


def _joined(value: object) -> object:
    """A flag that may be repeated takes comma-separated lists, too."""
    return ",".join(value) if isinstance(value, list) else value


def _spelled(option: str) -> str:
    """An option as it is written on the command line; one that has no flag by its name."""
    info = option_infos().get(option)
    return "/".join(info.flags) if info is not None and info.flags else option


def _bad_value(error: OptionError, given: dict[str, object]) -> UsageError:
    info = option_infos().get(error.option)
    if info is None or error.reason.id != "option.error.choice":
        return UsageError("cli.error.option", name=_spelled(error.option), reason=error.reason)
    return UsageError(
        "cli.error.bad_choice",
        flag="/".join(info.flags),
        value=given.get(error.option, ""),
        choices=", ".join(info.choices),
    )


def _report_inexact_version(spelling: str | None, session: Session) -> None:
    notice = version_notice(spelling) if spelling is not None else None
    if notice is not None:
        session.warn(session.texts.of(notice))


def _require_rules(patterns: Sequence[str]) -> None:
    if not patterns:
        return
    from gpu2ascend_rules import all_rules
    from gpu2ascend_rules.hosting import names_a_rule

    for pattern in patterns:
        if not names_a_rule(pattern):
            known = [name for rule in all_rules() for name in (rule.code, rule.name)]
            raise unknown_name("cli.error.no_rule", pattern, known)


def _require_chosen_rules(options: MigrationOptions, namespace: argparse.Namespace) -> None:
    """Patterns on the command line that choose no rule beside the others, or take none away.
    Raises UsageError: there is one."""
    from gpu2ascend_rules.hosting import chosen_codes

    for flag, dest in _PATTERNS.items():
        typed = getattr(options, dest) if getattr(namespace, dest, None) else ()
        _refuse_rules_of_other_targets(flag, [entry.partition("=")[0] for entry in typed], options)
    chosen = chosen_codes(options.route, options.select, options.ignore)
    if not chosen:
        raise UsageError("cli.error.option", name="--ignore", reason=Message.of("option.error.none_selected"))
    ignored = options.ignore if getattr(namespace, "ignore", None) else ()
    graded = options.severities if getattr(namespace, "severities", None) else ()
    named = [("--ignore", pattern, chosen_codes(options.route, options.select, ())) for pattern in ignored]
    named += [("--severity", entry.partition("=")[0], chosen) for entry in graded]
    for flag, pattern, among in named:
        if not among & chosen_codes(options.route, (pattern,), ()):
            reason = Message.of("option.error.not_selected", value=pattern)
            raise UsageError("cli.error.option", name=flag, reason=reason)


def _refuse_rules_of_other_targets(flag: str, patterns: Iterable[str], options: MigrationOptions) -> None:
    """Patterns of rules that run for other targets only: with nothing but them, nothing would be found.

    Hints of an analysis (``DYN001``) are of no target.

    Raises:
        UsageError: there is one.
    """
    from gpu2ascend_rules.targets.registry import all_targets

    for pattern in patterns:
        if _chooses(options.route, pattern):
            continue
        if any(_chooses(target, pattern) for target in all_targets()):
            title = Message.of(options.route.title_id)
            reason = Message.of("option.error.rule_of_target", value=pattern, target=title)
            raise UsageError("cli.error.option", name=flag, reason=reason)


def _chooses(target: Target, pattern: str) -> bool:
    """Whether a pattern names a rule that runs for a target."""
    from gpu2ascend_rules.hosting import chosen_codes

    return any(map(target.owns, chosen_codes(target, (pattern,), ())))
