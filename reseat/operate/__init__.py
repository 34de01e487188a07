"""The only code that writes to a cluster: guard, journal, execute, verify, cancel, roll back.

May import everything of the core but the CLI; imports neither Streamlit nor Spark.
"""

from reseat.operate.targets.opening import open_target

__all__ = ["open_target"]
