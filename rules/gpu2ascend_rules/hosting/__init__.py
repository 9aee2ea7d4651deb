"""What a program needs that runs the rules on whole projects, beside :mod:`gpu2ascend_rules` and its data.

The server imports of the inner rooms what this module names, and nothing else. Unlike the API of the package
it may change from release to release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import offered

if TYPE_CHECKING:
    from ..codemods.amp.on_request import AmpTransplant as AmpTransplant
    from ..codemods.amp.refactoring import AmpRefactoring as AmpRefactoring
    from ..codemods.amp.refactoring import amp_fix as amp_fix
    from ..codemods.amp.refactoring import offers_amp as offers_amp
    from ..codemods.codemod import Declined as Declined
    from ..codemods.codemod import all_codemods as all_codemods
    from ..codemods.codemod import around_program as around_program
    from ..codemods.codemod import changed_by as changed_by
    from ..codemods.detection import DETECTING_PACKAGE as DETECTING_PACKAGE
    from ..codemods.detection.hints import HINT_KIND as HINT_KIND
    from ..codemods.detection.hints import dynamic_hints as dynamic_hints
    from ..codemods.detection.loops import watched as watched
    from ..codemods.detection.on_request import DynamicShapes as DynamicShapes
    from ..codemods.distributed import ModelNotFoundError as ModelNotFoundError
    from ..codemods.distributed import distribute as distribute
    from ..codemods.distributed.model.candidates import model_candidates as model_candidates
    from ..codemods.distributed.refactoring import DISTRIBUTED_TITLE as DISTRIBUTED_TITLE
    from ..codemods.distributed.refactoring import distributed_program as distributed_program
    from ..codemods.distributed.refactoring import offers_distributed as offers_distributed
    from ..codemods.outcome import CodemodOutcome as CodemodOutcome
    from ..custom.find import matched_rules as matched_rules
    from ..custom.reading.affected import AffectedFileError as AffectedFileError
    from ..custom.reading.affected import read_affected as read_affected
    from ..custom.reading.reader import MAX_RULE_FILE_BYTES as MAX_RULE_FILE_BYTES
    from ..custom.reading.reader import RuleFileError as RuleFileError
    from ..custom.reading.reader import read_rules as read_rules
    from ..custom.reading.schema import json_schema as json_schema
    from ..edits.fix_edits import edits_of as edits_of
    from ..edits.fix_edits import own_edits as own_edits
    from ..edits.fix_titles import title_of as title_of
    from ..edits.offsets.apply import apply_edits as apply_edits
    from ..edits.offsets.offset_map import EditTrace as EditTrace
    from ..edits.offsets.offset_map import Span as Span
    from ..edits.refusals import Judge as Judge
    from ..edits.refusals import Refusals as Refusals
    from ..edits.required_imports import WHOLE_MODULE as WHOLE_MODULE
    from ..edits.required_imports import import_edits as import_edits
    from ..edits.suppression import ignore_file as ignore_file
    from ..edits.suppression import ignore_line as ignore_line
    from ..engine.dispatch import chosen_codes as chosen_codes
    from ..engine.dispatch import dispatch_for as dispatch_for
    from ..engine.dispatch import is_chosen as is_chosen
    from ..engine.dispatch import names_a_rule as names_a_rule
    from ..engine.places.scan import may_concern_kind as may_concern_kind
    from ..engine.prefilter import imported_modules as imported_modules
    from ..engine.prefilter import may_concern as may_concern
    from ..engine.registry import all_codes as all_codes
    from ..engine.registry import own_rules as own_rules
    from ..engine.rule import Event as Event
    from ..engine.suppressions import NOTHING_SILENCED as NOTHING_SILENCED
    from ..engine.suppressions import Silenced as Silenced
    from ..engine.suppressions import Suppressions as Suppressions
    from ..flow.command_line.old_words import given_words as given_words
    from ..flow.command_line.old_words import is_moved as is_moved
    from ..flow.guards.cuda_guards import Guard as Guard
    from ..flow.guards.needing.given import Given as Given
    from ..flow.guards.needing.needs import MOST_CALLS as MOST_CALLS
    from ..flow.guards.needing.needs import may_need_cuda as may_need_cuda
    from ..flow.guards.needing.registries import Registered as Registered
    from ..flow.names.files import ProjectFilesView as ProjectFilesView
    from ..flow.names.files import SettingWord as SettingWord
    from ..flow.names.files import has_words as has_words
    from ..flow.templates import plain_text as plain_text
    from ..inference.classes.torch_classes import DATA_LOADER as DATA_LOADER
    from ..inference.classes.torch_classes import MODULE as MODULE
    from ..inference.classes.torch_classes import TENSOR as TENSOR
    from ..inference.classes.torch_classes import bases_of as bases_of
    from ..inference.classes.torch_classes import instance_made_by as instance_made_by
    from ..inference.classes.torch_classes import is_class as is_class
    from ..inference.classes.torch_classes import kept_by_modules as kept_by_modules
    from ..inference.classes.torch_classes import result_of_call as result_of_call
    from ..inference.classes.torch_classes import tensor_functions as tensor_functions
    from ..inference.classes.torch_classes import tensor_methods as tensor_methods
    from ..inference.kinds import TypeInference as TypeInference
    from ..inference.reexports import ReexportView as ReexportView
    from ..inference.reexports import brought as brought
    from ..inference.reexports import follow_imports as follow_imports
    from ..inference.reexports import may_have as may_have
    from ..inference.reexports import meaning_in as meaning_in
    from ..inference.reexports import names_bound_to_torch as names_bound_to_torch
    from ..inference.tensor_like import tensor_like as tensor_like
    from ..inference.walk.reading import LITERAL_TYPES as LITERAL_TYPES
    from ..inference.walk.reading import Others as Others
    from ..inference.walk.reading import Placed as Placed
    from ..inference.walk.reading import Reading as Reading
    from ..inference.walk.reading import Unfollowed as Unfollowed
    from ..inference.walk.reading import Walk as Walk
    from ..inference.walk.reading import Way as Way
    from ..inference.walk.targets import values_returned as values_returned
    from ..inference.walk.walker import Walker as Walker
    from ..notebook.composite import Composite as Composite
    from ..notebook.ipynb import Notebook as Notebook
    from ..notebook.ipynb import NotebookError as NotebookError
    from ..notebook.magics import mask_magics as mask_magics
    from ..notebook.shell_parts import ShellPart as ShellPart
    from ..notebook.shell_parts import masked_part_cell as masked_part_cell
    from ..notebook.source import NotebookSource as NotebookSource
    from ..program.program import Program as Program
    from ..program.serving.cuda_needs import CudaNeeds as CudaNeeds
    from ..program.serving.cuda_needs import module_of as module_of
    from ..program.serving.served import ServedPrograms as ServedPrograms
    from ..receivers.evidence import owner_of as owner_of
    from ..receivers.listed_members import api_at as api_at
    from ..receivers.moves import container_libraries as container_libraries
    from ..rewrite import RewriteDeclined as RewriteDeclined
    from ..rewrite.depth import is_deeper_than as is_deeper_than
    from ..similar.assemble import home_of as home_of
    from ..similar.assemble import is_ours as is_ours
    from ..similar.assemble import parts_of as parts_of
    from ..similar.package import package_files as package_files
    from ..similar.replacements import Replacement as Replacement
    from ..similar.replacements import replacements as replacements


def __getattr__(name: str) -> object:
    return offered(__name__, __file__, name)
