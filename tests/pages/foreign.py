"""English words in a Japanese report, all of it: a program for ``test_japanese``.

``python -m tests.pages.foreign`` plays small audits of every question in ``RISKKIT_HOME`` and makes both classes of
report as HTML and as PDF. It prints as JSON every word of three Latin letters or more that is neither a name nor what a
command line reads, with the text it stands in. It shares no list with ``tests.pages.marked``.
"""

import io
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape

import pypdf

from riskkit.audit.report_facts import build_findings, read_given
from riskkit.jobs.store import Audit
from riskkit.judging.provenance import Provenance
from riskkit.plans import Plan
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.linkability.play import LinkabilityPlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.reconstruction.play import ReconstructionPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.singling_out.play import SinglingOutPlan
from riskkit.report.to_html import to_html
from riskkit.report.to_pdf import to_pdf
from riskkit.show.model import Class
from tests.pages.runs import finished
from tests.pages.screens import csv, loaded

PLANS: tuple[Plan, ...] = (
    ReleasedPlan(attacks=("dcr", "mc")),
    MembershipPlan(trainings=12, generations=2, n_syn=120),
    MembershipPlan(
        trainings=12,
        n_syn=80,
        worlds="resampled",
        knowledge="auxiliary",
        relation="replace-one",
        attacks=("neighbour",),
    ),
    AttributePlan(secrets=("job",), known=("others", "greedy:2", ("ward",)), model="tree", sweep=True),
    AttributePlan(secrets=("job", "score"), model="cap", sweep_model="cap", groups=("ward",)),
    SinglingOutPlan(size=2),
    LinkabilityPlan(splits=1),
    OneRunPlan(generator="histogram", rows=60),
    ReconstructionPlan(secrets=("job", "ward")),
    RecordsPlan(
        generator="histogram", records="top:6+random:4", inside=20, outside=20, again=2, shadows=20, certificate=True
    ),
    ContestPlan(
        ("identity", "stat"),
        ("distance",),
        source="people",
        guesses=30,
        rules="none",
        classifiers=("tree",),
        secret="ward",  # noqa: S106  a column
    ),
    ExplanationPlan(
        target="job",
        attackers=("linear",),
        victims=30,
        auxiliary=(80,),
        model_seeds=1,
        model="tree",
        defences=("quantising:bins=2",),
    ),
)
"""A small run of every question, several of some."""
DATA = {"Ward", "study", "age", "ward", "job", "score", "baker", "clerk", "Quokka", "real", "synthetic", "holdout"}
NAMES = {
    # products, standards and formats
    "riskkit",
    "Python",
    "numpy",
    "scipy",
    "scikit",
    "learn",
    "pandas",
    "pyarrow",
    "json",
    "csv",
    "JSON",
    "CSV",
    "PDF",
    "ZIP",
    "SHA",
    "UTC",
    "GDPR",
    "ISO",
    "EMA",
    "NIST",
    "Policy",
    "ICO",
    "HIPAA",
    "PWS",
    "Cup",
    "NeurIPS",
    "html",
    # people, in references
    "Miura",
    "Krčo",
    "Kr",
    "Giomi",
    "Newcombe",
    "Korn",
    "Graubard",
    "Tango",
    "Clopper",
    "Pearson",
    "Bonferroni",
    "Benjamini",
    "Hochberg",
    "DeLong",
    "Student",
    "Achilles",
    "Shapley",
    "Mahalanobis",
    "Laplace",
    "Holm",
    "Wilson",
    "Taub",
    "Elliot",
    "Welch",
    "Hoeffding",
    "Steinke",
    "Mahloujifar",
    "Nadeau",
    "Bengio",
    "Jaccard",
    "Goodman",
    "Jeffreys",
    "Krishna",
    "Stadler",
    "Luo",
    "Jiang",
    "Xiao",
    "Guépin",
    "Meeus",
    "Annamalai",
    "Houssiau",
    "Bayes",
    "Gauss",
    # methods and measures that have no other name
    "AUC",
    "MVL",
    "OMTH",
    "DOMIAS",
    "Gen",
    "LRA",
    "CAP",
    "DCAP",
    "TCAP",
    "MIA",
    "Bin",
    "PRAM",
    "MDAV",
    "RMSE",
    "MAE",
    "ROC",
    "TPR",
    "FPR",
    "DCR",
    "NNDR",
    "Tree",
    "SHAP",
    "shap",
}
"""What is the same in every language."""
TYPED = re.compile(
    r"top:\d+\+random:\d+|(?:\w+:)?\w+=[\w.-]+|add-one|replace-one|one-hot|[0-9a-f]{8,64}|R-[0-9A-F]{8}|\bet al\."
    r"|\b[a-z]+\.(?:json|csv)"
)
"""What is written as the command line reads it, and marks."""
ENDS = 3
"""Pages of a paper from either end: its cover, and the end of its appendix."""
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
SENTENCE = re.compile(r"^(?!.*(?:--|=|:)).*\b[A-Z]?[a-z]{2,} [a-z]{2,} [a-z]{2,}\b")
LATIN = re.compile(r"[A-Za-zÀ-ž]{3,}")


def audit() -> Audit:
    """Everything asked of one small table."""
    made = loaded(real=csv(240, 0), synthetic=csv(240, 2), holdout=csv(240, 1))
    made.set_provenance(Provenance("histogram"))
    for number, plan in enumerate(PLANS):
        finished(made, plan, run=f"{number:x}" * 32)
    return made


def of_html(page: str) -> Iterator[str]:
    """Every text of a page that is read, also of its pictures; commands and what others wrote are no texts."""
    page = re.sub(r"(?s)<style.*?</style>|<code.*?</code>|<pre.*?</pre>", " ", page)
    yield from (unescape(text) for text in re.findall(r'(?:alt|aria-label|title)="([^"]*)"', page))
    yield from (unescape(text) for text in re.sub(r"(?s)<[^>]+>", "\n", page).split("\n"))


def of_pdf(paper: bytes, pages: int | None = None) -> Iterator[str]:
    """Every line of a paper with a letter of Japanese in it: the others are names, numbers and commands.

    ``pages`` is how many are read from either end; all where it is None.
    """
    every = pypdf.PdfReader(io.BytesIO(paper)).pages
    numbers = range(len(every))
    for number in numbers if pages is None else sorted({*numbers[:pages], *numbers[-pages:]}):
        page = every[number]
        lines = page.extract_text().replace("\u200b", "").split("\n")
        yield from (line for line in lines if JAPANESE.search(line) or len(re.findall(SENTENCE, line)) > 0)


def left(text: str) -> list[str]:
    """The English words of a text."""
    words = LATIN.findall(TYPED.sub(" ", text))
    return [word for word in words if word not in NAMES and word not in DATA]


def main() -> None:
    """Print what is English: where, the word, and the text."""
    made = audit()
    strange: dict[str, str] = {}
    count = 0
    for kind in Class:
        findings = build_findings(read_given(made), {}, kind=kind, made=datetime(2026, 1, 2, tzinfo=UTC))
        pages = None if kind is Class.RESTRICTED else ENDS  # it holds all that the other holds
        papers = {
            "html": of_html(to_html(findings).decode()),
            "pdf": of_pdf(to_pdf(findings, with_appendix=True), pages),
        }
        for form, texts in papers.items():
            for text in texts:
                count += 1
                for word in left(text):
                    strange.setdefault(word, f"{kind} {form}: {' '.join(text.split())[:300]}")
    json.dump({"texts": count, "strange": strange}, sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
