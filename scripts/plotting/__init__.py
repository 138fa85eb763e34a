"""Learning curves and costs as pictures."""
