"""The package's dependencies and extras, from requirements.txt and requirements-kerberos.txt: versions stand once.

Hatchling calls it where a wheel or an sdist is made (``[tool.hatch.metadata.hooks.custom]`` in pyproject.toml).
"""

from __future__ import annotations

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: The line that begins a part: its extra's name, ``-`` for what is no part of the package.
_PART = re.compile(r"# \[([a-z]+|-)\]")


class Requirements(MetadataHookInterface):
    """Fills in ``dependencies`` and ``optional-dependencies``."""

    def update(self, metadata: dict[str, object]) -> None:
        """Fill them in; ``all`` is every extra that comes ready made, which ``kerberos`` does not."""
        parts = parts_of((Path(self.root) / "requirements.txt").read_text(encoding="utf-8"))
        metadata["dependencies"] = parts.pop("")
        parts.pop("-", None)
        compiled = parts_of((Path(self.root) / "requirements-kerberos.txt").read_text(encoding="utf-8"))[""]
        ready = [line for lines in parts.values() for line in lines]
        metadata["optional-dependencies"] = {**parts, "kerberos": compiled, "all": ready}


def parts_of(text: str) -> dict[str, list[str]]:
    """The requirements of each part without their comments; those before the first part have the name ``""``."""
    parts: dict[str, list[str]] = {"": []}
    name = ""
    for line in text.splitlines():
        begins = _PART.match(line)
        if begins:
            name = begins[1]
            parts[name] = []
        elif (requirement := line.partition("#")[0].strip()) and not requirement.startswith("-"):
            parts[name].append(requirement)
    return parts
