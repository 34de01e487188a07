"""What judges a plan from the two layouts alone. It shares nothing with ``solve``: neither hides the other's errors."""
