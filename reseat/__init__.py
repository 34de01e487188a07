"""Reseat's core: see who sits where in a Kafka cluster, take a broker out, prove the plan.

The packages inside import in one direction only:
``model, errors`` <- ``formats`` <- ``balance, election`` <- ``planning`` <- ``sources`` <- ``cli``.
Everything up to ``planning`` is pure: no network, no files, no Streamlit, no Spark.
"""

__version__ = "0.1.0"
