"""A module a chapter; each has ``chapter(matter, choices)``, which gives it or None where it has nothing to tell."""
