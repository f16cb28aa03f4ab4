"""A steward's program that stays up, for the tests: ``own_resident.py HOW`` draws rows, or goes wrong in a way.

It imports nothing of riskkit, as a steward's program would not.
"""

import csv
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

CANARY = "quokka-canary"


class WrongCellError(Exception):
    """An error of the program's own, whose name is none of Python's."""


def main(how: str) -> None:
    models: dict[int, tuple[list[str], list[list[str]]]] = {}
    note = os.environ.get("OWN_STARTS")
    if note:
        with Path(note).open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        if how == "talks":
            print("loading weights", json.dumps({"no": "answer"}), "[1, 2", sep="\n")  # noqa: T201
        answer: dict[str, Any] = {"id": request["id"]}
        if request["do"] == "fit":
            schema = json.loads(Path(request["schema"]).read_text(encoding="utf-8"))["columns"]
            with Path(request["train"]).open(encoding="utf-8", newline="") as file:
                names, *rows = csv.reader(file)
            assert names == [column["name"] for column in schema]
            models[request["model"]] = names, rows
        elif request["do"] == "forget":
            del models[request["model"]]
        else:
            sample(how, request, answer, *models[request["model"]])
        if how == "late":
            print(json.dumps({"id": request["id"] - 1}))  # noqa: T201
        print(json.dumps(answer), flush=True)  # noqa: T201  it is how it answers


def sample(how: str, request: dict[str, Any], answer: dict[str, Any], names: list[str], rows: list[list[str]]) -> None:
    if how == "ends":
        sys.exit(3)
    if how == "breaks":
        raise KeyError(CANARY)
    if how == "sleeps":
        time.sleep(60)
    if how == "silent":
        return
    if how in ("fails", "fails_secretly"):
        answer["error"] = "ValueError" if how == "fails" else CANARY
        return
    drawn = random.Random(request["seed"]).choices(rows, k=request["n"])
    with Path(request["out"]).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *drawn])


if __name__ == "__main__":
    main(sys.argv[1])
