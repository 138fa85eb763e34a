"""The grammar behind data/en-fr: English-French sentence pairs, built together from one lexicon."""
