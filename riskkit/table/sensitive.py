"""Columns whose names say that somebody would want to know what stands in them: a guess, to be confirmed."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WRITTEN = """
    abortion addiction addictions alcohol arrest arrests asylum benefit benefits biometric cancer charge charges
    citizenship conviction convictions crime criminal criminality debt debts depression diabetes diag diagnoses
    diagnosis disability disabled disease diseases drug drugs earning earnings ethnicity faith gene
    genetic genome genotype health hba1c hiv icd icd10 icd9 illness immigration income incomes insulin marital
    medication medications mental mortality nationality offence offences offense offenses orientation outcome party
    political pregnancy pregnant procedure psychiatric race readmission readmitted religion religious revenue salaries
    salary sexual sexuality smoker smoking std suicide symptom symptoms therapy treatment treatments union vaccinated
    vaccination violence wage wages wealth
    einkommen gehalt krankheit diagnose schulden religionszugehoerigkeit behinderung straftat schwanger
    revenu salaire maladie diagnostic handicap grossesse dette
    ingreso ingresos salario enfermedad diagnostico discapacidad embarazo deuda
"""
WORDS = frozenset(_WRITTEN.split())
"""Words of names in the terms of Article 9 GDPR (health, ethnicity, opinions, faith, sexuality, genes), of crime and of
money; English, German, French and Spanish."""
JAPANESE = (
    "病",
    "診断",
    "疾患",
    "症",
    "薬",
    "障害",
    "宗教",
    "国籍",
    "人種",
    "年収",
    "所得",
    "給与",
    "収入",
    "犯罪",
    "妊娠",
    "借金",
    "健康",
    "検査",
)
"""Parts of Japanese names that say the same."""


def sensitive(names: Sequence[str]) -> tuple[str, ...]:
    """The names that hold such a word, in their order."""
    return tuple(name for name in names if _words(name) & WORDS or any(part in name for part in JAPANESE))


def _words(name: str) -> set[str]:
    """The words of a name as people write them: ``HomeIncome``, ``home_income``, ``home income``."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return {word.lower() for word in re.split(r"[^A-Za-z0-9]+", parted) if word}
