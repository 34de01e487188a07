"""What a session looks at: opened layouts, the what-if, the link, live clusters, and the caches of results.

May import: ``canvas``, ``look``, ``server``.
"""
