"""The module or the target of a file, by its path."""
from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Iterable, List


def folder_of(path: str) -> str:
    """The folder of the module or the target that a file belongs to.

    A module of Sources stands in the folder of its layer, as `Sources/Domain/CarillonCore`. A target of tests stands
    there too, but for ScenarioTests and SystemTests. A library of Tools stands in `Tools/libraries`.
    """
    parts = PurePosixPath(path).parts
    is_at_top = parts[0] == "Tests" and parts[1].endswith("Tests")
    is_grouped = parts[0] in ("Sources", "Tests") and not is_at_top or parts[:2] == ("Tools", "libraries")
    return "/".join(parts[:-1][:3 if is_grouped else 2])


def name_of(path: str) -> str:
    """The name of the module or the target that a file belongs to."""
    return PurePosixPath(folder_of(path)).name


def folders(root: Path, files: Iterable[str]) -> List[Path]:
    """The folders of the modules of Sources that have one of the files, in order."""
    return [root / folder for folder in sorted({folder_of(name) for name in files if name.startswith("Sources/")})]
