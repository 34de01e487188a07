"""What a command says, how far it is, and how it ended."""
