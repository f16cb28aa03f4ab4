"""Spellings that are one and the same, and those that are not, written down by hand."""

import pytest

from riskkit.table.kinds.alike import identifier, words


@pytest.mark.parametrize(
    "spellings",
    [
        ("be4fc763-8006-3788-dff7-4213e65972bf", "BE4FC763800637 88DFF74213E65972BF"),
        ("be4fc763-8006-3788-dff7-4213e65972bf", "{be4fc76380063788dff74213e65972bf}"),
        ("Person.42@Example.org", "person.42@example.org", " person.42@example.org "),
        ("42", "0042", "42.0", "42.00", "+42", "4.2e1", "4.2E+01"),
        ("1234567", "1,234,567", "1 234 567", "1.234567e+06"),
        ("1.5", "01.50", "1.500"),
        ("0", "-0", "0.0", "000"),
        ("P-0042", "p42", "P 42", "p_0042"),
        ("Given Family", "FAMILY, Given", "family given"),
        ("José Núñez", "Jose\u0301 Nun\u0303ez", "JOSE NUNEZ"),
        ("=\"0042\"", "42"),
        ("12", "\uff11\uff12"),
    ],
)  # fmt: skip
def test_spellings_of_one_identifier_are_one(spellings: tuple[str, ...]) -> None:
    assert len(set(map(identifier, spellings))) == 1, list(map(identifier, spellings))


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("42", "420"),
        ("42", "4.2"),
        ("1.5", "15"),
        ("-5", "5"),
        ("P-42", "P-402"),
        ("Given Family", "Given Familys"),
        ("12 a", "a 12"),
        ("1" * 40, "1" * 39 + "2"),
    ],
)
def test_different_identifiers_stay_two(first: str, other: str) -> None:
    assert identifier(first) != identifier(other)


def test_signs_alone_identify_nobody() -> None:
    assert identifier("--") == identifier("") == ""


OBJECT = '{"visits": [352, 25], "codes": ["E51", "É6"], "arm": {"b": 1.50, "none": null}}'


@pytest.mark.parametrize(
    "written",
    [
        '{"arm":{"b":1.5},"codes":["E51","\\u00c96"],"visits":[352,25]}',
        "{'visits': (352, 25.0), 'codes': ['E51', 'É6'], 'arm': {'b': 1.5, 'none': None}}",
        "visits=352;25 codes=E51;e6 arm=b:01.5",
        "<arm><b>1.5</b></arm><visits>25 352</visits><codes>E51 &Eacute;6</codes>",
    ],
    ids=["keys sorted", "as Python writes it", "keys and values", "tags"],
)
def test_an_object_is_its_keys_and_values_however_it_is_written(written: str) -> None:
    assert words(written) == words(OBJECT)


def test_a_text_is_its_words_in_any_order_and_no_others() -> None:
    assert words("The patient, age 042, came  twice.") == words("came twice: the patient age 42")
    assert words("The patient came twice") != words("The patient came")
    assert words("came came") != words("came")


@pytest.mark.parametrize(
    "odd", ["{", "{}", "[1, 2", "[[[[" * 5000 + "]" * 20000, "{'a': __import__('os')}", "{1: 2, [3]: 4}"]
)
def test_what_is_no_object_is_read_as_a_text(odd: str) -> None:
    assert isinstance(words(odd), str)
    assert isinstance(identifier(odd), str)
