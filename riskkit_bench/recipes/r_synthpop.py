"""The R package synthpop."""

TITLE = "synthpop for R"
LICENCE = "GPL-2 | GPL-3"
ABSENT = (
    "Debian has R but no package of synthpop, and CRAN, which has one, is no index of pip. Where R and synthpop are "
    "installed, write a script for it and use it as a command."
)
