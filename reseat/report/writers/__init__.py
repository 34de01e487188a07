"""A module a form that a report is written in: HTML, PDF, slides, a talk, data, a text for chat."""
