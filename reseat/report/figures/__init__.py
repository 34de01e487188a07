"""How each kind of figure is drawn: a module a kind, each with ``draw(figure, texts)`` that gives the sheet."""
