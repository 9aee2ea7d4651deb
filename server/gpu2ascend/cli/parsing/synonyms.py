"""Words that other tools use for a command or an option of ours, answered with ours."""

from __future__ import annotations

COMMANDS = {
    **dict.fromkeys(
        ("convert", "port", "run", "transfer", "transform", "transplant", "translate"), "migrate"
    ),
    **dict.fromkeys(("lint", "scan", "find"), "check"),
    **dict.fromkeys(("fix", "format", "apply"), "check --fix"),
    **dict.fromkeys(("analyse", "analysis", "assess", "report", "examine"), "analyze"),
    **dict.fromkeys(("info", "why", "describe", "show", "search", "query"), "explain"),
    **dict.fromkeys(("rules", "list", "ls"), "explain --all"),
    **dict.fromkeys(("server", "language-server", "serve"), "lsp"),
    **dict.fromkeys(("env", "environment", "diagnose", "setup"), "doctor"),
    **dict.fromkeys(("test", "simulate", "try", "validate"), "verify"),
    **dict.fromkeys(("todo", "left", "remaining", "what-is-left"), "handover"),
    **dict.fromkeys(("config", "settings"), "options"),
    **dict.fromkeys(("agent", "agents"), "mcp"),
    "version": "--version",
}
"""What to type for the name of a command that does not exist."""

FLAGS = {
    **dict.fromkeys(("--dry-run", "--dryrun", "-n", "--preview", "--check-only", "--no-write"), "--diff"),
    **dict.fromkeys(("--in-place", "--write", "-w"), "gpu2ascend check --fix"),
    **dict.fromkeys(("--apply", "--autofix", "--fix"), "gpu2ascend check --fix"),
    **dict.fromkeys(("--overwrite", "--yes", "-y", "--assume-yes", "-f"), "--force"),
    **dict.fromkeys(("--in", "--src", "--source", "--input-dir", "--input-path", "--project"), "--input"),
    **dict.fromkeys(("--out", "--dst", "--dest", "--output-dir", "--output-path"), "--output"),
    **dict.fromkeys(("--torch", "--torch-version", "--pytorch-version", "--pytorch"), "--version"),
    **dict.fromkeys(("--npu", "--chip", "--soc", "--soc-version", "--platform"), "--hardware"),
    **dict.fromkeys(("--workers", "--processes", "--threads", "--parallel", "-j"), "--jobs"),
    **dict.fromkeys(("--format", "--output-type"), "--output-format"),
    **dict.fromkeys(("--lang", "--locale"), "--language"),
    **dict.fromkeys(("--skip", "--exclude-dir", "--exclude-rule", "--ignore-path"), "--exclude"),
    **dict.fromkeys(("--disable", "--extend-ignore"), "--ignore"),
    **dict.fromkeys(("--enable", "--rules", "--only", "--extend-select"), "--select"),
    **dict.fromkeys(("--custom-rule", "--custom-rules", "--rule-file"), "--rule"),
    **dict.fromkeys(("--add-noqa", "--suppress", "--baseline"), "--add-ignore"),
    **dict.fromkeys(("--stats", "--count", "--summary"), "--statistics"),
    **dict.fromkeys(("--no-fail", "--warn-only", "--soft-fail"), "--exit-zero"),
    **dict.fromkeys(("--main-file", "--main_file", "--entrypoint", "--script"), "--main"),
    **dict.fromkeys(("--model", "--model-name"), "--target-model"),
    **dict.fromkeys(("--ddp", "--multi", "--multi-device"), "--distributed"),
    **dict.fromkeys(("--examine", "--analyze", "--analysis-only"), "gpu2ascend analyze"),
    **dict.fromkeys(("--verbose", "--debug", "--trace"), "GPU2ASCEND_DEBUG=1"),
    **dict.fromkeys(("--resume", "--continue", "--incremental", "--merge"), "--update"),
    "--inplace": "--in-place",
    "--yaml": "--json",
}
"""What to type for an option that does not exist: an option, where the command has it, or a command."""

ASSENT = frozenset({"--yes", "-y", "--assume-yes", "--no-input", "--non-interactive"})
"""What answers questions in advance; most of our commands ask none."""
