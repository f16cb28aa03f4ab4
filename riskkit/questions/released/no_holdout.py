"""What can be said of a release where nobody is known who was not in, how to learn the rest, and what stays unknown."""

from __future__ import annotations

from riskkit.language import say

COMMAND = "python -m riskkit holdout --real real.csv --share 0.2"
"""The command that leaves people out."""


def path() -> tuple[str, ...]:
    """Sentences, one a step."""
    return (
        say(
            "No holdout is there. What can be said without one: whether rows of the real table stand in the release as "
            "they are, how near the release comes to them, and whether it keeps their order."
        ),
        say(
            "To measure a leak, leave people out and release again. First: {command} writes two files, the rows to "
            "keep and the rows left out. Where people have several rows, name with --person the column that says "
            "whose row it is.",
            command=COMMAND,
        ),
        say("Second: make the release again, from the kept rows alone, by the same method with the same settings."),
        say(
            "Third: ask again with the kept rows as the real table, the new release, and the rows left out as the "
            "holdout."
        ),
        say(
            "The answer is about the new release: publish that one, and it holds. For a release made of everybody it "
            "is an estimate of what the method gives away, from four fifths of the people."
        ),
        say(
            "Rows that are taken out of the real table after the release was made are no holdout: these people were "
            "in, and a leak about them would look like none."
        ),
        say(
            "A table of other people of the same population, such as an earlier survey, can be loaded as the holdout "
            "too. riskkit looks whether the two tables can be told apart without the release; where they can, only "
            "what an attack tells beyond that counts. What stays unknown: a difference between the two that this look "
            "is too weak to see passes for a leak, or hides one."
        ),
        say("Until then it stays unknown whether anybody's membership shows, whose, and what else is told of members."),
    )
