"""What a program needs that runs the rules on whole projects, beside :mod:`gpu2ascend_rules` and its data.

The server imports of the inner rooms what this module names, and nothing else. Unlike the API of the package
it may change from release to release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import offered

if TYPE_CHECKING:
    from ..codemods.amp.on_request import AmpTransplant
    from ..codemods.amp.refactoring import AmpRefactoring, amp_fix, offers_amp
    from ..codemods.codemod import Declined, all_codemods, around_program, changed_by
    from ..codemods.detection import DETECTING_PACKAGE
    from ..codemods.detection.hints import HINT_KIND, dynamic_hints
    from ..codemods.detection.loops import watched
    from ..codemods.detection.on_request import DynamicShapes
    from ..codemods.distributed import ModelNotFoundError, distribute
    from ..codemods.distributed.model.candidates import model_candidates
    from ..codemods.distributed.refactoring import DISTRIBUTED_TITLE, distributed_program, offers_distributed
    from ..codemods.outcome import CodemodOutcome
    from ..custom.find import matched_rules
    from ..custom.reading.affected import AffectedFileError, read_affected
    from ..custom.reading.reader import MAX_RULE_FILE_BYTES, RuleFileError, read_rules
    from ..custom.reading.schema import json_schema
    from ..edits.fix_edits import edits_of, own_edits
    from ..edits.fix_titles import title_of
    from ..edits.offsets.apply import apply_edits
    from ..edits.offsets.offset_map import EditTrace, Span
    from ..edits.refusals import Judge, Refusals
    from ..edits.required_imports import WHOLE_MODULE, import_edits
    from ..edits.suppression import ignore_file, ignore_line, ignore_lines
    from ..engine.dispatch import chosen_codes, dispatch_for, is_chosen, names_a_rule
    from ..engine.places.scan import may_concern_kind
    from ..engine.prefilter import imported_modules, may_concern
    from ..engine.registry import all_codes, outlines_for
    from ..engine.rule import Event
    from ..engine.suppressions import NOTHING_SILENCED, Silenced, Suppressions
    from ..flow.command_line.old_words import given_words, is_moved
    from ..flow.guards.needing.needs import MOST_CALLS, may_need_cuda
    from ..flow.names.files import ProjectFilesView, SettingWord, has_words
    from ..flow.templates import plain_text
    from ..inference.classes.torch_classes import (
        DATA_LOADER,
        MODULE,
        TENSOR,
        bases_of,
        instance_made_by,
        is_class,
        kept_by_modules,
        result_of_call,
        tensor_functions,
        tensor_methods,
    )
    from ..inference.kinds import TypeInference
    from ..inference.reexports import (
        ReexportView,
        brought,
        follow_imports,
        may_have,
        meaning_in,
        names_bound_to_torch,
    )
    from ..inference.tensor_like import tensor_like
    from ..inference.walk.reading import LITERAL_TYPES, Others, Placed, Reading, Unfollowed, Walk, Way
    from ..inference.walk.targets import values_returned
    from ..inference.walk.walker import Walker
    from ..notebook.composite import Composite
    from ..notebook.ipynb import Notebook, NotebookError
    from ..notebook.magics import mask_magics
    from ..notebook.shell_parts import ShellPart, masked_part_cell
    from ..notebook.source import NotebookSource
    from ..program.kept import KeptPrograms
    from ..program.program import Program
    from ..program.serving.cuda_needs import CudaNeeds, module_of
    from ..program.serving.recent import RecentSources
    from ..program.serving.served import ServedPrograms
    from ..receivers.evidence import owner_of
    from ..receivers.listed_members import api_at
    from ..receivers.moves import container_libraries
    from ..rewrite import RewriteDeclined
    from ..rewrite.depth import is_deeper_than
    from ..similar.assemble import home_of, is_ours, parts_of
    from ..similar.package import package_files
    from ..similar.replacements import Replacement, replacements

__all__ = [
    "DATA_LOADER", "DETECTING_PACKAGE", "DISTRIBUTED_TITLE", "HINT_KIND", "LITERAL_TYPES",
    "MAX_RULE_FILE_BYTES", "MODULE", "MOST_CALLS", "NOTHING_SILENCED", "TENSOR", "WHOLE_MODULE",
    "AffectedFileError", "AmpRefactoring", "AmpTransplant", "CodemodOutcome", "Composite", "CudaNeeds",
    "Declined", "DynamicShapes", "EditTrace", "Event", "Judge", "KeptPrograms",
    "ModelNotFoundError", "Notebook", "NotebookError", "NotebookSource", "Others", "Placed", "Program",
    "ProjectFilesView", "Reading", "RecentSources", "ReexportView", "Refusals",
    "Replacement", "RewriteDeclined", "RuleFileError", "ServedPrograms", "SettingWord", "ShellPart",
    "Silenced", "Span", "Suppressions", "TypeInference", "Unfollowed", "Walk", "Walker", "Way",
    "all_codemods", "all_codes", "amp_fix", "api_at", "apply_edits", "around_program", "bases_of",
    "brought", "changed_by", "chosen_codes", "container_libraries", "dispatch_for", "distribute",
    "distributed_program", "dynamic_hints", "edits_of", "follow_imports", "given_words", "has_words",
    "home_of", "ignore_file", "ignore_line", "ignore_lines", "import_edits", "imported_modules",
    "instance_made_by", "is_chosen", "is_class", "is_deeper_than", "is_moved", "is_ours", "json_schema",
    "kept_by_modules", "mask_magics", "masked_part_cell", "matched_rules", "may_concern",
    "may_concern_kind", "may_have", "may_need_cuda", "meaning_in", "model_candidates", "module_of",
    "names_a_rule", "names_bound_to_torch", "offers_amp", "offers_distributed", "outlines_for",
    "own_edits", "owner_of", "package_files", "parts_of", "plain_text", "read_affected", "read_rules",
    "replacements", "result_of_call", "tensor_functions", "tensor_like", "tensor_methods", "title_of",
    "values_returned", "watched",
]  # fmt: skip


def __getattr__(name: str) -> object:
    return offered(__name__, __file__, name)
