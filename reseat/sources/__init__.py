"""The outside world -> model: uploads, samples. May import everything of the core but ``operate`` and the CLI."""

from reseat.sources.generate import generate
from reseat.sources.samples import Sample, load_sample, samples
from reseat.sources.upload import read_files, read_proposed, read_racks_file

__all__ = ["Sample", "generate", "load_sample", "read_files", "read_proposed", "read_racks_file", "samples"]
