"""Layouts to look at without a cluster of one's own: captured samples, generated ones, and a week of made-up clusters.

May import ``reseat.sources``, which reads and lands them, and everything below it.
"""

from reseat.demo.generate import generate
from reseat.demo.samples import Sample, load_sample, samples

__all__ = ["Sample", "generate", "load_sample", "samples"]
