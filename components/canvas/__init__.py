"""Our own JavaScript: rack board, heat grid, pair matrix, log player, partition picture, a menu to save a figure.

May import: ``look``, ``charts``.
"""
