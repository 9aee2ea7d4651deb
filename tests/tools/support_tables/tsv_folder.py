"""A folder of TSV files as step one leaves them, made row by row."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version
from tools.support_tables.columns import SUPPORT_COLUMNS, support_file
from tools.support_tables.tsv import write_rows

WHEELS = ("2.1.0.post1", "2.3.1", "2.13.0.post2")


class TsvFolder:
    """The files, all there and all but empty, to which a test adds the rows that it is about."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.support: dict[Version, list[dict[str, str]]] = {version: [] for version in SUPPORTED_VERSIONS}
        self.cuda: list[dict[str, str]] = []
        self.names: list[dict[str, str]] = []
        self.operators: list[dict[str, str]] = []
        self.aliases: list[dict[str, str]] = []
        self.private: list[dict[str, str]] = []
        # A file needs one row: its columns tell which wheels there are.
        self.counterpart("is_available")
        self.name("torch_npu.npu", "is_available")
        self.operator("add.Tensor")

    def listed(self, version: str, api: str, status: str = "supported", **columns: str) -> TsvFolder:
        """Let the support list of a version have an API."""
        row = {"api": api, "kind": "function", "status": status, "source": "a-list", **columns}
        self.support[Version(*map(int, version.split(".")))].append(row)
        return self

    def counterpart(
        self, name: str, npu_name: str = "", relation: str = "same_name", *wheels: str
    ) -> TsvFolder:
        """Let ``torch.cuda.<name>`` have a counterpart in some wheels, or in all."""
        yes = dict.fromkeys(wheels or WHEELS, "yes")
        npu_name = npu_name or f"torch_npu.npu.{name}"
        row = {
            "cuda_name": f"torch.cuda.{name}",
            "kind": "function",
            "npu_name": npu_name,
            "relation": relation,
        }
        self.cuda.append({**row, **yes})
        return self

    def name(self, module: str, name: str, *wheels: str, kind: str = "function") -> TsvFolder:
        """Let a module of torch_npu have a name in some wheels, or in all."""
        yes = dict.fromkeys(wheels or WHEELS, "yes")
        self.names.append({"module": module, "name": name, "kind": kind, **yes})
        return self

    def operator(self, name: str, *wheels: str) -> TsvFolder:
        """Let some wheels, or all, register an operator."""
        self.operators.append({"aten_op": name, **dict.fromkeys(wheels or WHEELS, "yes")})
        return self

    def write(self) -> Path:
        """Write the files; their folder."""
        for version, rows in self.support.items():
            write_rows(self.path / support_file(version), SUPPORT_COLUMNS, rows)
        fixed = ("cuda_name", "kind", "npu_name", "relation", "documented", "first_seen")
        write_rows(self.path / "cuda-to-npu.tsv", (*fixed, *WHEELS), self.cuda)
        write_rows(
            self.path / "torch_npu-names.tsv", ("module", "name", *WHEELS, "kind", "in_all"), self.names
        )
        write_rows(self.path / "aten-npu-ops.tsv", ("aten_op", *WHEELS), self.operators)
        write_rows(self.path / "aliases.tsv", ("alias", "documented_api"), self.aliases)
        private = ("api", "npu_name", "a2", "a3", "dt950", "status", "dtypes", "flags")
        write_rows(
            self.path / "private-apis.tsv", (*private, "min_torch", "public_from", "source"), self.private
        )
        return self.path
