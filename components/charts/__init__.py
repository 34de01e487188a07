"""Plotly figures that more than one room draws: bars by broker, flows, rows of dots, a matrix of replicas.

May import: ``look``.
"""
