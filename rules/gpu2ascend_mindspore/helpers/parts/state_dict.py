"""torch.nn.Module.state_dict"""

from mindspore import Parameter, nn
from mindspore.experimental.optim import Optimizer


def state_dict(owner):
    """The weights of a model; of an optimizer or a scheduler all that it changes as it goes."""
    if isinstance(owner, Optimizer):
        trained = {id(one) for one in owner.parameters}
        state = {one.name: one for one in owner.get_parameters() if id(one) not in trained}
        groups = [{key: group[key] for key in group if key != "params"} for group in owner.param_groups]
        return {"state": state, "param_groups": groups}
    if isinstance(owner, nn.Cell) or hasattr(owner, "state_dict"):
        return owner.state_dict()
    return {key: one for key, one in vars(owner).items() if isinstance(one, (Parameter, int, float, str))}
