"""The appendix of a report: what was audited, all numbers, people at risk, repairs, methods, how to get it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from riskkit.core import Estimate
from riskkit.judging.measurement import Judgement, Limit
from riskkit.language import again, joined, kept, say
from riskkit.report import labels, plots, texts, views
from riskkit.report.blocks import Block, heading, paragraph, table, terms, whole_blocks
from riskkit.report.lines import if_made, line, reason, verdict
from riskkit.show import glossary, remedy
from riskkit.show.blocks import Group
from riskkit.show.for_whom import ShownForWhom
from riskkit.show.model import Answer, Findings, RunFinding

# What was noticed of a file, in words that hold nothing of it: for readers who may not see names, counts and values.
#
# A restricted report repeats the sentence that the steward read. A shareable one says the kind of thing alone.

KINDS: Mapping[str, str] = {
    "accents_unified": kept("Letters with accents are written in one way."),
    "all_missing": kept("The column has no values; it was left out."),
    "all_missing_here": kept("The column has no values in one file alone."),
    "ambiguous_dates": kept("Dates can be read in two ways."),
    "backslash_quotes": kept("Quotation marks stand behind backslashes."),
    "blank_lines": kept("Blank lines were left out."),
    "blank_name": kept("A column has no name."),
    "booleans_matched": kept("Yes and no are read alike in all files."),
    "byte_order_mark": kept("The file begins with a byte-order mark."),
    "capitals_differ": kept("Values differ only in capitals."),
    "children_unread": kept("A second table is read by some questions alone."),
    "codebook_lacking": kept("A codebook describes columns that the file has not."),
    "codebook_silent": kept("A codebook says nothing of some columns."),
    "codebook_id": kept("A codebook calls a column an identifier whose values repeat."),
    "codebook_kind": kept("A codebook calls a column numeric that holds other values."),
    "codebook_format": kept("Dates are not written as a codebook says."),
    "codebook_values": kept("Values stand in a column that a codebook does not list."),
    "codebook_range": kept("Numbers lie outside the range that a codebook says."),
    "codebook_required": kept("Values are missing where a codebook says that none is."),
    "code_numbers": kept("All numbers of a column have as many digits, as codes do."),
    "codes_apart": kept("The release may number values in another order."),
    "constant": kept("The column has one value only; it was left out."),
    "constant_here": kept("The column has one value only in one file."),
    "cr_line_ends": kept("Lines end in an old way."),
    "date_formats_differ": kept("Dates are written in several ways."),
    "dates_matched": kept("Dates are read alike in all files."),
    "delimiter": kept("The fields are not separated by commas."),
    "duplicate_holdout": kept("Rows stand several times in the holdout."),
    "duplicate_rows": kept("Rows stand several times in the real table."),
    "encoding_guess": kept("The encoding of the file was guessed."),
    "end_mark": kept("The file ends with a mark of the end."),
    "excel_dates": kept("Numbers look like dates of a spreadsheet."),
    "extra_column": kept("A column is in one file alone."),
    "few_numbers": kept("A numeric column has few different values."),
    "fewer_columns": kept("The release has fewer columns than the real table."),
    "free_text": kept("The column holds free text; it was left out."),
    "grids_differ": kept("The holdout and the real table write a column otherwise."),
    "group_id": kept("The column seems to name groups or households."),
    "holdout_overlap": kept("Rows of the holdout stand in the real table too."),
    "id_column": kept("The column seems to identify records; attacks do not use it."),
    "identical_files": kept("Two files hold the same."),
    "identical_releases": kept("Two files of releases hold the same."),
    "index_column": kept("A column of row numbers was left out."),
    "holdout_swapped": kept("The holdout and the release may be swapped."),
    "invisible_letters": kept("Values hold letters that cannot be seen."),
    "kinds_apart": kept("One file holds numbers or dates here and the other does not."),
    "labels_read": kept("Codes are read by their labels."),
    "leading_blank_lines": kept("The file begins with blank lines."),
    "leading_zeros_differ": kept("Numbers begin with zeros in one file alone."),
    "leading_zeros_restored": kept("Zeros at the beginning of numbers were put back."),
    "left_unread": kept("The steward says why no question need read the column."),
    "letter_forms_differ": kept("Values differ only in the form of their letters."),
    "letter_forms_unified": kept("Letters of several forms are written in one way."),
    "line_apart": kept("Released numbers may be the real ones mirrored, moved or scaled."),
    "lost_levels": kept("Values of the real table are not in the release."),
    "missing_code": kept("A number may stand for a missing value that another file leaves blank."),
    "missing_codes_read": kept("Codes for missing are read as missing."),
    "missing_differs": kept("Missing values are written otherwise in another file."),
    "missing_token": kept("A word was read as a missing value."),
    "mixed_line_ends": kept("Lines end in several ways."),
    "names_matched": kept("Names of columns are written otherwise than in the real file."),
    "names_said": kept("The steward says which column is which."),
    "near_unique_numbers": kept("Almost every number is different."),
    "nested_values": kept("Cells hold lists or objects."),
    "new_levels": kept("The release has values that the real table has not."),
    "no_header": kept("The file has no line of names; the columns were numbered."),
    "not_a_date": kept("Some values are no dates."),
    "number_commas": kept("Commas stand in numbers."),
    "number_units": kept("Units stand beside numbers."),
    "numbers_matched": kept("Numbers are read alike in all files."),
    "objects_matched": kept("Lists and objects are written alike in all files."),
    "one_column": kept("The table has one column."),
    "orphans": kept("Rows of the second table belong to nobody."),
    "people_in_both": kept("Real people stand in the holdout."),
    "person_in_both": kept("People stand in both tables."),
    "person_unnamed": kept("Rows name nobody."),
    "preamble": kept("Lines before the table were left out."),
    "releases_disagree": kept("There are not as many files of releases as releases."),
    "repeated_header": kept("The line of names stands in the table again."),
    "repeated_keys": kept("Keys stand in several rows of the first table."),
    "repeated_people": kept("People have several rows."),
    "rounding_matched": kept("Numbers that rounding moved are read as the real ones."),
    "same_order": kept("The release stands in the order of the real table."),
    "sampling_weights": kept("The column seems to hold sampling weights."),
    "seconds_since_1970": kept("Numbers are read as seconds since 1970."),
    "second_header": kept("A second line of names stands in the table."),
    "sentinel": kept("A number may stand for a missing value."),
    "sep_line": kept("A line that names the separator was left out."),
    "shared_ids": kept("Identifiers of the real table stand in the release."),
    "sizes_differ": kept("The release and the real table differ in their number of rows."),
    "sorted_rows": kept("The rows are sorted."),
    "spaces_in_values": kept("Spaces around values were left out."),
    "spellings_unified": kept("Several spellings of a value are read as one."),
    "stray_quote": kept("A quotation mark stands within a value."),
    "swapped": kept("The real table and the release may be swapped."),
    "too_many_levels": kept("The column has too many different texts; it was left out."),
    "too_wide": kept("The column has many values: some methods would need too much memory."),
    "total_line": kept("The last line seems to hold totals."),
    "trailing_delimiter": kept("Lines end with a separator."),
    "trimmed_names": kept("Spaces around names of columns were left out."),
    "unclear_dates": kept("It is not clear how dates are written."),
    "unread_column": kept("No question can read the column."),
    "unread_parts": kept("The file holds more than its table."),
    "unpacked": kept("The file was unpacked."),
    "value_labels": kept("One file has labels for its values, and another holds neither these nor their codes."),
    "values_apart": kept("Real and released values hardly meet."),
    "values_converted": kept("Released numbers were brought to the unit of the real ones, as the steward says."),
    "values_differ": kept("Real and released values hardly meet; the steward says that they differ in truth."),
    "values_read_as": kept("Released values were read as real ones, as the steward says."),
    "verbatim_copies": kept("Rows of the real table stand in the release."),
    "zones_differ": kept("Times have time zones in one place and none in another."),
    "zones_matched": kept("Times with time zones are read as instants."),
}
"""By the code of a problem."""


def in_words(code: str) -> str:
    """What kind of thing it is, in the language of this process; of a kind that is not ours its code."""
    return say(KINDS[code]) if code in KINDS else code.replace("_", " ")


# One question of a report as blocks: what it found, what was played, the picture, and what it does not show.


def question(answer: Answer, *, level: int = 1, is_first: bool = False) -> Iterator[Block]:
    """A question: the run its verdict stands on, then what was asked of methods that did not make this release."""
    yield heading(answer.title, level, new_page=is_first, fits=level == 1)
    if answer.finding is not None:
        icon, word = verdict(answer)
        first = reason(answer.finding, answer.judgement)
        yield {"kind": "verdict", "icon": icon, "word": word, "why": first}
        if rest := _why(answer.judgement).removeprefix(first).strip():
            yield paragraph(rest, style="asks")
        yield paragraph(answer.finding.sentence, style="lead")
        yield from _finding(answer.finding, answer.judgement, level + 1)
    elif answer.judgement is not None:
        yield paragraph(_why(answer.judgement), style="lead")
    for what_if in answer.what_ifs:
        yield heading(if_made(what_if), level + 1)
        yield paragraph(_why(what_if.judgement), style="small")
        yield paragraph(what_if.finding.sentence, style="lead")
        yield from _finding(what_if.finding, what_if.judgement, level + 1)


def details(finding: RunFinding, judgement: Judgement, titles: Mapping[str, str]) -> Iterator[Block]:
    """What stands behind the sentence of a run, here and in the appendix, with every block: for a terminal."""
    yield from _finding(finding, judgement, 2)
    yield heading(texts.SECTIONS["numbers"], 3)
    yield from views.behind(finding, titles, on_paper=False)
    if finding.for_whom is not None:
        yield from _groups(finding.for_whom, on_paper=False)


def _why(judgement: Judgement | None) -> str:
    return "" if judgement is None else f"{judgement.why} {judgement.settle}".strip()


def _finding(finding: RunFinding, judgement: Judgement | None, level: int) -> Iterator[Block]:
    """One run behind its sentence: the picture, what was played, and what it does not show."""
    limit = None if judgement is None or judgement.limit is None else judgement.limit.value
    if finding.chart is not None:
        yield plots.block(finding.chart, limit)
    if finding.growing is not None:
        yield plots.block(finding.growing.chart(limit), limit)
    yield terms([*finding.game, (say("Planted leak"), finding.measured.control.sentence)])
    for promised in finding.promises:
        yield heading(say("What {method} promises, and what is seen", method=promised.method), level)
        picture = promised.chart()
        if picture is not None:
            yield plots.block(picture)
        yield terms(promised.terms)
        yield paragraph(promised.verdict, style="contradiction" if promised.is_contradicted else "note")
    if finding.for_whom is not None:  # its groups are many: the appendix has them
        yield heading(finding.for_whom.title, level)
        yield paragraph(finding.for_whom.sentence)
    yield from (paragraph(text, style="note") for text in finding.extra)
    yield from views.printed_blocks(
        (block for block in finding.view if isinstance(block, Group) and block.is_first), level
    )
    if finding.lowered:
        yield terms([(search.title, f"{search.sentence} {search.cost}".strip()) for search in finding.lowered])
    yield heading(texts.SECTIONS["not_shown"], level)
    yield {"kind": "list", "items": list(finding.limits), "style": "note"}


NUMBERS = 12
"""Numbers of a question on paper; the CSV has them all."""


def appendix(findings: Findings) -> Iterator[Block]:
    """Everything behind the pages of the questions."""
    yield heading(say("Appendix"), new_page=True)
    yield heading(texts.SECTIONS["files"], 2)
    yield from files(findings)
    yield from columns(findings)
    yield from _all_numbers(findings)
    yield from whole_blocks(_risk(findings))
    yield from whole_blocks(groups(findings.answered()))
    yield from whole_blocks(_remedies(findings))
    yield heading(texts.SECTIONS["preparation"], 2)
    yield from repairs(findings)
    yield from _wp29(findings)
    yield from _methods()
    yield from _provenance(findings)
    yield from _glossary()


def files(findings: Findings) -> Iterator[Block]:
    """The files that were audited."""
    rows = [
        (texts.slot(file.slot), file.name or "–", f"{file.rows:,}", f"{file.columns}", file.sha256)
        for file in findings.files
    ]
    yield from table(
        (say("File"), say("Name"), say("Rows"), say("Columns"), say("SHA-256")),
        rows,
        (1, 2, 0.8, 0.8, 3.4),
        say("The files"),
    )


def columns(findings: Findings) -> Iterator[Block]:
    """The columns with their kinds and roles."""
    yield from table(
        (say("Column"), say("Kind"), say("Role")),
        [(name, labels.KINDS.get(kind, kind), labels.ROLES.get(role, role)) for name, kind, role in findings.schema],
        (3, 1.2, 1.2),
        say("The columns, as they were understood"),
    )


def _findings(findings: Findings) -> Iterator[RunFinding]:
    """What is shown of every question."""
    for answer in findings.answered():
        if answer.finding is not None:
            yield answer.finding
        yield from (what_if.finding for what_if in answer.what_ifs)


def groups(answers: Iterable[Answer]) -> Iterator[Block]:
    """Risk by groups of people, question by question: the picture, every group as a line, and how it was worked out."""
    for answer in answers:
        for finding in answer.findings:
            compared = finding.for_whom
            if compared is not None and compared.rows:
                yield heading(say("{title}: {part}", title=answer.title, part=compared.title), 2)
                yield from _groups(compared)


def _groups(compared: ShownForWhom, *, on_paper: bool = True) -> Iterator[Block]:
    """The groups of one run."""
    picture = compared.chart()
    if picture is not None:
        yield plots.block(picture)
    yield from table(compared.head, compared.rows, (3, 1, 2, 2, 1), compared.title, on_paper=on_paper)
    yield terms(compared.terms)


def _remedies(findings: Findings) -> Iterator[Block]:
    """Every search for the least change: its picture, every value that was tried, and what it does not show."""
    for finding in _findings(findings):
        for search in finding.lowered:
            yield heading(search.title, 2)
            yield plots.block(search.chart(), search.limit)
            yield from (paragraph(text) for text in (search.cost, search.order) if text)
            title = say("Every value of the setting that was tried")
            yield from table(search.head, search.rows, (1.9, 1.2, 1.2, 1.9), title)
            yield {"kind": "list", "items": list(again(remedy.NOT_SHOWN)), "style": "note"}


def _all_numbers(findings: Findings) -> Iterator[Block]:
    for answer in findings.answered():
        for finding in answer.findings:
            yield heading(say("{title}: numbers", title=answer.title), 3)
            yield from whole_blocks(_numbers(finding, findings.limits.get(answer.question), findings.titles))
            yield from whole_blocks(views.behind(finding, findings.titles))


def _numbers(finding: RunFinding, limit: Limit | None, titles: Mapping[str, str]) -> Iterator[Block]:
    """The numbers that matter most, and how many of the rest there are on which side of the limit.

    A number of the kind that the verdict is measured by has guessing and the limit in its row.
    """
    every = _foremost(finding)
    first, rest = every[:NUMBERS], every[NUMBERS:]
    abouts = [labels.about(estimate, titles) for estimate in first]
    same = [text for text in abouts[0] if all(text in each for each in abouts)] if len(abouts) > 1 else []
    rows = [
        (
            labels.measure(finding.question, estimate, titles),
            joined(text for text in about if text not in same) or "–",
            texts.number_in_words(estimate),
            *_beside(finding, estimate, limit),
            f"{estimate.level:.4g}",
            f"{estimate.n:,}",
        )
        for estimate, about in zip(first, abouts, strict=True)
    ]
    columns = [views.COLUMNS[key] for key in ("measure", "of", "value", "guess", "limit", "level", "n")]
    title = texts.SECTIONS["numbers"]
    yield from table(
        [column.title for column in columns],
        rows,
        [column.width for column in columns],
        say("{title} ({about})", title=title, about=joined(same)) if same else title,
    )
    if rest:
        yield paragraph(_rest_sentence(finding, len(first), rest, limit, titles), style="small")


def _beside(finding: RunFinding, estimate: Estimate, limit: Limit | None) -> tuple[str, str]:
    """Guessing and the limit beside a number on their scale; dashes beside any other."""
    measured = finding.measured
    if measured.strongest is None or estimate.name != measured.strongest.name:
        return "–", "–"
    of = 1
    if measured.scale == "hits":  # counted, and judged as a share of the rows named; of several draws N counts draws
        if (finding.settings.get("draws") or 1) != 1:
            return "–", "–"
        of = estimate.n
    return f"{of * measured.guess:.2f}", "–" if limit is None else f"{of * limit.value:.2f}"


def _foremost(finding: RunFinding) -> list[Estimate]:
    """The numbers of the run: what the verdict is measured by first, the highest on top; then what is near it."""
    strongest = finding.measured.strongest
    about = {} if strongest is None else strongest.labels
    name = "" if strongest is None else strongest.name

    def others(estimate: Estimate) -> int:
        return sum(about.get(label, text) != text for label, text in estimate.labels.items())

    def place(estimate: Estimate) -> tuple[bool, float]:
        return (False, -estimate.low) if estimate.name == name else (True, others(estimate))

    return sorted(finding.estimates, key=place)


def _rest_sentence(
    finding: RunFinding, shown: int, rest: Sequence[Estimate], limit: Limit | None, titles: Mapping[str, str]
) -> str:
    """How many more numbers there are, and how many of the kind the verdict is measured by lie above the limit."""
    strongest = finding.measured.strongest
    sentence = texts.foremost(shown, shown + len(rest))
    of_kind = [estimate for estimate in rest if strongest is not None and estimate.name == strongest.name]
    if not of_kind:
        return sentence
    bound = finding.measured.guess if limit is None else limit.value
    above = sum(estimate.low > bound for estimate in of_kind)
    name = say("guessing") if limit is None else say("the limit")
    more = say(
        "Of the other {others:,} of {measure}, wholly above {name} ({bound:.2f}): {above:,}.",
        others=len(of_kind),
        measure=labels.measure(finding.question, of_kind[0], titles),
        above=above,
        name=name,
        bound=bound,
    )
    return f"{sentence} {more}"


def _risk(findings: Findings) -> Iterator[Block]:
    """The records at risk, question by question: their numbers are on the scale of their question."""
    asked = [
        (answer, answer.finding)
        for answer in findings.answered()
        if answer.finding is not None and answer.finding.at_risk
    ]
    if not asked:
        return
    yield heading(texts.SECTIONS["risk"], 2)
    if not findings.is_restricted:
        yield paragraph(say("References are pseudonyms: only somebody who has the real table can have them explained."))
    for answer, finding in asked:
        every = sorted(finding.at_risk, key=lambda risk: -risk.estimate.low)
        rows = [
            (
                risk.reference,
                risk.who,
                texts.number_in_words(risk.estimate),
                *_beside(finding, risk.estimate, findings.limits.get(answer.question)),
            )
            for risk in every
        ]
        head = say("Record"), say("Strongest attack"), say("Value [interval]"), say("Guessing"), say("Limit")
        yield from table(head, rows, (1.6, 3.4, 1.8, 0.9, 0.7), answer.title)


def repairs(findings: Findings) -> Iterator[Block]:
    """What was noticed and repaired when the files were read."""
    if not findings.preparation:
        yield paragraph(say("Nothing needed repair, and nothing needed a decision."))
        return
    rows = [
        (
            texts.GRAVITIES.get(str(problem["gravity"]), str(problem["gravity"])),
            again(problem.get("what") or in_words(str(problem["code"]))),
            str(problem["column"] or "–"),
            str(problem["count"] or "–"),
        )
        for problem in findings.preparation
    ]
    yield from table(
        (say("Severity"), say("What"), say("Column"), say("Count")), rows, (1, 4, 1.6, 1), texts.SECTIONS["preparation"]
    )
    if not findings.is_restricted:
        yield paragraph(say(texts.SUPPRESSED), style="small")


def _wp29(findings: Findings) -> Iterator[Block]:
    yield heading(texts.SECTIONS["wp29"], 2)
    yield paragraph(again(texts.WP29_INTRO))
    of_question = {answer.question: answer for answer in findings.answers}
    rows = []
    for english_risk, bearing, english_how in texts.WP29:
        risk, how = say(english_risk), say(english_how)
        asked = [of_question[question] for question in bearing if question in of_question]
        bears = "; ".join(f"{answer.title}: {line(answer)[1]}" for answer in asked)
        rows.append((risk, how, bears or again(texts.NOT_RUN)))
    yield from table(
        (say("Risk"), say("What bears on it here"), say("Verdicts")), rows, (1.3, 3.4, 2.4), texts.SECTIONS["wp29"]
    )


def _methods() -> Iterator[Block]:
    yield heading(texts.SECTIONS["methods"], 2)
    yield terms([(say(title), say(meaning)) for title, meaning in texts.METHODS])


def _provenance(findings: Findings) -> Iterator[Block]:
    yield heading(texts.SECTIONS["provenance"], 2)
    yield terms([*findings.versions.items()])
    for answer in findings.answered():
        for finding in answer.findings:
            yield heading(say("{title}: run {id}", title=answer.title, id=finding.id[:12]), 3)
            yield terms([(say("Run"), finding.id)])
            yield terms(labels.settings(finding, findings.titles))
            if finding.command:
                yield paragraph(say("To get the same numbers on the command line, in the folder of the files:"))
                yield {"kind": "code", "text": finding.command}
            yield from (paragraph(note, style="small") for note in finding.notes)


def versions(findings: Findings) -> Iterator[Block]:
    """What was calculated with: versions, and the seed of each run."""
    yield terms([*findings.versions.items()])
    runs = [
        (answer.title, finding.id[:12], str(finding.settings.get("seed", "–")))
        for answer in findings.answered()
        for finding in answer.findings
    ]
    yield from table((say("Question"), say("Run"), say("Seed")), runs, (2, 2, 1), say("Runs"))


def _glossary() -> Iterator[Block]:
    yield heading(texts.SECTIONS["glossary"], 2)
    yield terms(list(glossary.report_glossary().items()))
