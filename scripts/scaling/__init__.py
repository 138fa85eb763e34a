"""What scripts/benchmark-scaling is made of."""
