"""Schedule: when what a plan moves is sent, and how long that takes. May import model, errors, balance."""
