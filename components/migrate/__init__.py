"""Migrate: topics of the shown layout on their way to another one that is open."""
