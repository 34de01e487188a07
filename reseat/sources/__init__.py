"""The outside world -> model: uploads, live clusters, landed files. May import ``reseat.history`` and all below it."""

from reseat.sources.upload import read_files, read_proposed, read_racks_file

__all__ = ["read_files", "read_proposed", "read_racks_file"]
