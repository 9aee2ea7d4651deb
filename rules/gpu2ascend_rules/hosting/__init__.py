"""What a program needs that runs the rules on whole projects, besides :mod:`gpu2ascend_rules` and its data.

The server imports of the inner rooms what this module names, and nothing else. Each name is documented where
it is defined; the comments below say what each room is for. Unlike the API of the package, it may change from
release to release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import offered

if TYPE_CHECKING:
    # changes of whole modules that options and refactorings ask for
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
    from ..custom.reading.affected import AffectedFileError, read_affected
    from ..custom.reading.reader import MAX_RULE_FILE_BYTES, RuleFileError, read_rules
    from ..custom.reading.schema import json_schema

    # the user's own rules and lists, read from files
    from ..custom.rule_base import matched_rules

    # the text after fixes, ignore comments and new imports
    from ..edits.fix_edits import edits_of, own_edits
    from ..edits.fix_titles import title_of
    from ..edits.offsets import EditTrace, Span, apply_edits
    from ..edits.refusals import Judge, Refusals
    from ..edits.required_imports import WHOLE_MODULE, import_edits
    from ..edits.suppression import ignore_file, ignore_line, ignore_lines

    # which rules there are, which are chosen, and which files they may concern
    from ..engine.dispatch import chosen_codes, dispatch_for, is_chosen, names_a_rule
    from ..engine.places.scan import may_concern_kind
    from ..engine.prefilter import imported_modules, may_concern
    from ..engine.registry import all_codes, methods_asked_for
    from ..engine.suppressions import IGNORE_MARKER, NOTHING_SILENCED, Silenced, Suppressions

    # words and their decisions beyond one file: what needs CUDA, settings, options that have moved
    from ..flow.command_line.old_words import given_words, is_moved
    from ..flow.guards.needing.hints import may_need_cuda
    from ..flow.guards.needing.needs import MOST_CALLS
    from ..flow.names.files import ProjectFilesView, SettingWord, has_words
    from ..flow.templates import plain_text

    # the types of values, followed through the files of a project
    from ..inference.classes.torch_classes import is_class
    from ..inference.followed import Location, follows
    from ..inference.kinds import TypeInference
    from ..inference.reexports import ReexportView, brought, meanings_in, names_bound_to_torch
    from ..inference.tensor_like import tensor_like

    # the cells of a notebook as one source
    from ..notebook.composite import Composite
    from ..notebook.ipynb import Notebook, NotebookError
    from ..notebook.magics import mask_magics
    from ..notebook.shell_parts import ShellPart, masked_part_cell
    from ..notebook.source import NotebookSource

    # the program of a project, with what is kept from state to state
    from ..program.kept import KeptPrograms
    from ..program.program import Program
    from ..program.serving.cuda_needs import CudaNeeds
    from ..program.serving.recent import RecentSources
    from ..program.serving.served import ServedPrograms
    from ..program.silenced import Silences, selected_together, silenced_words

    # which member of a support list an expression is, and torch's classes as stubs
    from ..receivers.evidence import owner_of
    from ..receivers.listed_members import api_at
    from ..receivers.moves import container_libraries
    from ..receivers.stubs import stub_modules

    # changes of syntax trees
    from ..rewrite import RewriteDeclined
    from ..rewrite.depth import is_deeper_than

    # the package of equivalents that a migrated project gets
    from ..similar.assemble import home_of, is_ours, parts_of
    from ..similar.package import package_files
    from ..similar.replacements import Replacement, replacements


def __getattr__(name: str) -> object:
    return offered(__name__, __file__, name)
