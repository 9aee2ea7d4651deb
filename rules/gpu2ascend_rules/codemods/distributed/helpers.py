"""The functions that a distributed script gets: text that users read and keep."""

from __future__ import annotations

SET_UP = '''def {name}():
    """Take this process's card and join the others; a process that was started alone goes on alone."""
    local_rank = int({os}.environ.get("LOCAL_RANK", {os}.environ.get("DEVICE_ID", "0")))
    world_size = int({os}.environ.get("WORLD_SIZE", {os}.environ.get("RANK_SIZE", "1")))
    if world_size > 1:
        rank = int({os}.environ.get("RANK", {os}.environ.get("RANK_ID", local_rank)))
        {set_device}(local_rank)
        {dist}.init_process_group(backend="hccl", rank=rank, world_size=world_size)
'''

CLEAN_UP = '''def {name}():
    """Leave the process group, if there is one."""
    if {dist}.is_initialized():
        {dist}.destroy_process_group()
'''

IS_MAIN_PROCESS = '''def {name}():
    """Whether this process writes files and reports: one of all does."""
    return not {dist}.is_initialized() or {dist}.get_rank() == 0
'''

UNWRAP_MODEL = '''def {name}(model):
    """The model itself, without the wrapper that runs it in several processes."""
    return model.module if isinstance(model, {ddp}) else model
'''

MAIN_PROCESS_FIRST = '''@{contextlib}.contextmanager
def {name}():
    """Let one process of each host go first, to download for instance; the others find its result."""
    goes_first = {os}.environ.get("LOCAL_RANK", {os}.environ.get("DEVICE_ID", "0")) == "0"
    if {dist}.is_initialized() and not goes_first:
        {dist}.barrier()
    yield
    if {dist}.is_initialized() and goes_first:
        {dist}.barrier()
'''

KEEP_CHECKPOINT_NAMES = '''def {name}(model):
    """A wrapped model that saves and loads its state by the names that it has without the wrapper."""

    def saved(module, state, prefix, metadata):
        for name in [name for name in state if name.startswith(prefix + "module.")]:
            state[prefix + name[len(prefix + "module.") :]] = state.pop(name)

    def loaded(state, prefix, *details):
        for name in [name for name in state if name.startswith(prefix)]:
            state[prefix + "module." + name[len(prefix) :]] = state.pop(name)

    model._register_state_dict_hook(saved)
    model._register_load_state_dict_pre_hook(loaded)
    return model
'''
