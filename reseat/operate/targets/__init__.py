"""A cluster that may be written to: through the Admin protocol or through nodes of ZooKeeper.

May import: what ``reseat.operate`` may.
"""
