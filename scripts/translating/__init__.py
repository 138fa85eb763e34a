"""What the scripts that translate have in common: the programs, text files, candidates."""
