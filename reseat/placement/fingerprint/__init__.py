"""From replica lists back to the draws that made them."""
