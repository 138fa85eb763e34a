"""What scripts/load-test is made of."""
