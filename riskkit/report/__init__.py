"""What was found, as sentences and tables. Computes no statistic of its own; asks ``stats`` for every number."""
