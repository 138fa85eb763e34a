"""What scripts/diversify is made of."""
