"""What scripts/endurance is made of."""
