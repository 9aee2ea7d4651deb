"""torch.hub.load_state_dict_from_url"""

import hashlib
import os
import re
import urllib.request
from pathlib import Path
from urllib.parse import urlparse

from .load import load


def load_state_dict_from_url(
    url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None, weights_only=True
):
    """Weights of PyTorch's from the net, or from where they were kept; reading them needs PyTorch."""
    home = os.environ.get("TORCH_HOME", Path.home() / ".cache" / "torch")
    folder = Path(model_dir) if model_dir is not None else Path(home, "hub", "checkpoints")
    name = file_name or Path(urlparse(url).path).name
    path = folder / name
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{name}.partial")
        urllib.request.urlretrieve(url, partial)
        found = re.search(r"-([a-f0-9]{8,})\.", name)
        digest = hashlib.sha256(partial.read_bytes()).hexdigest()
        if check_hash and found is not None and not digest.startswith(found[1]):
            raise RuntimeError(f"{url}: its digest is {digest}, not {found[1]}")
        partial.replace(path)
    return load(path, weights_only=weights_only)
