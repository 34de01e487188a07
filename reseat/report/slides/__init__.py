"""Slides that can be edited: the master, the charts with their workbooks, and what else stands on a slide."""
