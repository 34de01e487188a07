"""Layouts as tables: CSV and Parquet, read and written."""
