"""What was noticed of a file, in words that hold nothing of it: for readers who may not see names, counts and values.

A restricted report repeats the sentence that the steward read. A shareable one says the kind of thing alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from riskkit.language import kept, say

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
    "constant": kept("The column has one value only; it was left out."),
    "constant_here": kept("The column has one value only in one file."),
    "cr_line_ends": kept("Lines end in an old way."),
    "date_formats_differ": kept("Dates are written in several ways."),
    "dates_matched": kept("Dates are read alike in all files."),
    "delimiter": kept("The fields are not separated by commas."),
    "duplicate_holdout": kept("Rows stand several times in the holdout."),
    "duplicate_rows": kept("Rows stand several times in the real table."),
    "encoding_guess": kept("The encoding of the file was guessed."),
    "excel_dates": kept("Numbers look like dates of a spreadsheet."),
    "extra_column": kept("A column is in one file alone."),
    "few_numbers": kept("A numeric column has few different values."),
    "fewer_columns": kept("The release has fewer columns than the real table."),
    "free_text": kept("The column holds free text; it was left out."),
    "group_id": kept("The column seems to name groups or households."),
    "holdout_overlap": kept("Rows of the holdout stand in the real table too."),
    "id_column": kept("The column seems to identify records; attacks do not use it."),
    "identical_files": kept("Two files hold the same."),
    "index_column": kept("A column of row numbers was left out."),
    "invisible_letters": kept("Values hold letters that cannot be seen."),
    "kinds_apart": kept("One file holds numbers or dates here and the other does not."),
    "leading_blank_lines": kept("The file begins with blank lines."),
    "leading_zeros_differ": kept("Numbers begin with zeros in one file alone."),
    "leading_zeros_restored": kept("Zeros at the beginning of numbers were put back."),
    "letter_forms_differ": kept("Values differ only in the form of their letters."),
    "letter_forms_unified": kept("Letters of several forms are written in one way."),
    "lost_levels": kept("Values of the real table are not in the release."),
    "missing_differs": kept("Missing values are written otherwise in another file."),
    "missing_token": kept("A word was read as a missing value."),
    "mixed_line_ends": kept("Lines end in several ways."),
    "near_unique_numbers": kept("Almost every number is different."),
    "nested_values": kept("Cells hold lists or objects."),
    "new_levels": kept("The release has values that the real table has not."),
    "no_header": kept("The file has no line of names; the columns were numbered."),
    "not_a_date": kept("Some values are no dates."),
    "number_commas": kept("Commas stand in numbers."),
    "number_units": kept("Units stand beside numbers."),
    "numbers_matched": kept("Numbers are read alike in all files."),
    "one_column": kept("The table has one column."),
    "person_in_both": kept("People stand in both tables."),
    "person_unnamed": kept("Rows name nobody."),
    "preamble": kept("Lines before the table were left out."),
    "repeated_header": kept("The line of names stands in the table again."),
    "repeated_people": kept("People have several rows."),
    "same_order": kept("The release stands in the order of the real table."),
    "sampling_weights": kept("The column seems to hold sampling weights."),
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
    "unpacked": kept("The file was unpacked."),
    "value_labels": kept("The file has labels for its values."),
    "values_apart": kept("Real and released values hardly meet."),
    "values_differ": kept("Real and released values hardly meet; the steward says that they differ in truth."),
    "values_read_as": kept("Released values were read as real ones, as the steward says."),
    "verbatim_copies": kept("Rows of the real table stand in the release."),
}
"""By the code of a problem."""


def in_words(code: str) -> str:
    """What kind of thing it is, in the language of this process; of a kind that is not ours its code."""
    return say(KINDS[code]) if code in KINDS else code.replace("_", " ")
