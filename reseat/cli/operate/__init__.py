"""The commands of ``operate``: what they take, what they open, what they do."""
