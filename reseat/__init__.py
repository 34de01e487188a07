"""Reseat's core: see who sits where in a Kafka cluster, take a broker out, prove the plan.

The packages inside import in one direction only (pyproject.toml, CONTRIBUTING.md). Everything up to ``planning`` is
pure: no network, no files, no Streamlit, no Spark.
"""

#: Of the wheel, of ``reseat --version`` and of all that Reseat writes about itself.
__version__ = "0.1.0"
