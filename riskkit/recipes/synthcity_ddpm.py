"""TabDDPM of synthcity."""

TITLE = "TabDDPM (synthcity 0.2.12)"
LICENCE = "Apache-2.0"
ABSENT = (
    "It trains in the environment of synthcity-bayesnet, but no release of use was seen: by its own settings half of "
    "all numbers lie at an end of their range on 500 rows, where an epoch is one step and 1,000 are too few. An audit "
    "of such a release would call the method harmless. docs/generators.md says what was measured."
)
