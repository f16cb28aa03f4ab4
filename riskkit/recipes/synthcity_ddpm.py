"""TabDDPM of synthcity."""

TITLE = "TabDDPM (synthcity 0.2.12)"
LICENCE = "Apache-2.0"
ABSENT = (
    "It trains in the environment of synthcity-bayesnet, but no release of use was seen: after 100 epochs with 100 "
    "steps of noise 99 of 100 numbers lay at an end of their range, and longer trainings were not seen to their end on "
    "a busy processor. An audit of such a release would call the method harmless."
)
