"""Games deal worlds and grade answers; none of them computes a statistic."""
