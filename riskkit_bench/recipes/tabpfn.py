"""TabPFN: a network that has learnt tables in general, and makes rows from those it is shown."""

TITLE = "TabPFN, rows in context (tabpfn 9.2.0)"
LICENCE = "Apache-2.0; weights under licences of their own"
ABSENT = (
    "The package holds no trained network: it fetches one from a hub of models at its first use, under a licence that "
    "allows no commercial use, and an environment of riskkit reaches nothing but the package index. Whoever has the "
    "weights writes a script for --allow-external."
)
