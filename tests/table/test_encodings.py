"""How the letters of a file are written where it does not say so, decided over all files of the same tables."""

import itertools
from pathlib import Path

import pytest

from riskkit.errors import SchemaError
from riskkit.table.load import Tables, read_tables, tables_of
from riskkit.table.read.csv_text import read_csv
from riskkit.table.read.encodings import agree_encodings, candidates
from riskkit.table.read.files import read_together
from tests.table.files import AGE, CANARY, N, codes, cycle, made

WORDS = {
    "German": ("cp1252", "München Köln Düsseldorf Straße Größe"),
    "one word": ("cp1252", "Ärzte"),
    "French": ("cp1252", "Orléans Nîmes Besançon Évreux cœur"),
    "Spanish": ("cp1252", "Málaga Cádiz ¿Qué? ESPAÑA niño"),
    "Portuguese": ("cp1252", "São_Paulo Belém Goiânia Maceió"),
    "Swedish": ("cp1252", "Göteborg Malmö Västerås Örebro"),
    "Norwegian": ("cp1252", "Ålesund Tromsø Bærum"),
    "Icelandic": ("cp1252", "Reykjavík Ísafjörður Bæjarstjórn Þór"),
    "of many countries": ("cp1252", "Müller Besançon Ålesund Peña Søren José"),
    "signs": ("cp1252", "5–10 Don’t 20° €5 “so” m²"),
    "Polish": ("cp1250", "Łódź Kraków Gdańsk Częstochowa"),
    "Polish, ISO": ("iso8859_2", "Łódź Kraków Gdańsk Ząbki Świdnica"),
    "Czech": ("cp1250", "Plzeň Děčín Třebíč Žďár"),
    "Croatian": ("cp1250", "Čakovec Šibenik Đakovo Požega"),
    "Russian": ("cp1251", "Москва Казань мужской женский"),
    "Russian, Unix": ("koi8_r", "Москва Казань Мужской"),
    "Turkish": ("cp1254", "İstanbul Şişli Eskişehir Diyarbakır Muğla"),
    "Lithuanian": ("cp1257", "Šiauliai Panevėžys Kėdainiai Rūta ąžuolas"),
    "Greek": ("cp1253", "Αθήνα Πάτρα άνδρας"),
    "Arabic": ("cp1256", "القاهرة دمشق بغداد"),
    "German, Macintosh": ("mac_roman", "München Köln Düsseldorf Straße"),
    "French, Macintosh": ("mac_roman", "Orléans Nîmes Besançon Évreux"),
    "German, DOS": ("cp850", "München Köln Düsseldorf Straße"),
    "Chinese": ("gb18030", "北京市 上海市 男 已婚 大学"),
    "Chinese, traditional": ("big5", "台北 高雄 已婚 大學"),
    "Japanese": ("cp932", "東京都 神奈川県 大阪府"),
    "Japanese, Unix": ("euc_jp", "田中 東京都 はい カタカナ"),
    "Korean": ("euc_kr", "서울 부산 남자 학교"),
}


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("rows", [1, 40])
def test_words_are_read_as_people_write_them(language: str, rows: int) -> None:
    encoding, words = WORDS[language]
    source = "\n".join(words.split() * rows).encode(encoding)
    assert source.decode(candidates(source)[0]) == source.decode(encoding)


WESTERN = {
    "German": "Müller Schröder Jäger Weiß Straße Größe Übung Ärzte Öffnung männlich über",
    "French": "Élodie Hélène François Besançon Évreux garçon œuvre très où Noël forêt âge à",
    "Spanish": "Málaga León niño España año José Martínez sí qué corazón pingüino Ávila",
    "Portuguese": "São João Conceição Maceió Belém não avó às Antônio três açúcar",
    "Swedish": "Göteborg Malmö Västerås Örebro Åsa själv född kön må Östersund",
    "Danish": "Århus København Ærø Jørgen Åse mænd børn kæreste",
    "Norwegian": "Ålesund Tromsø Bærum Øystein Kåre kjønn født",
    "Finnish": "Jyväskylä Hyvinkää Äänekoski työ sairaanhoitaja",
    "Dutch": "coördinatie België één geïnteresseerd reünie Curaçao enquête",
    "Italian": "Forlì città perché più caffè Nicolò età è virtù",
    "Catalan": "Març Barça això Núria comprensió qüestió València",
}


@pytest.mark.parametrize("language", WESTERN)
def test_a_file_of_one_or_two_words_is_one_of_its_country(language: str) -> None:
    words = [word for word in WESTERN[language].split() if not word.isascii()]
    for pair in (*((word,) for word in words), *itertools.pairwise(words)):
        source = "\n".join(pair).encode("cp1252")
        assert source.decode(candidates(source)[0]) == source.decode("cp1252")


TOWNS = {
    "German": ["München", "Köln", "Düsseldorf", "Göttingen", "Berlin"],
    "French": ["Orléans", "Nîmes", "Besançon", "Évreux", "Paris"],
    "Spanish": ["Málaga", "Cádiz", "León", "A Coruña", "Madrid"],
    "Swedish": ["Göteborg", "Malmö", "Västerås", "Örebro", "Lund"],
    "Portuguese": ["São Paulo", "Belém", "Goiânia", "Maceió", "Rio"],
}
NOTES = ["Migräne", "öffentlich", "Süd", "Östlich"]


def written(folder: Path, towns: list[str], **encodings: str) -> dict[str, Path]:
    """Three files of the same columns, each in an encoding; the release is a copy of the real file, backwards."""
    paths = {}
    for slot, encoding in encodings.items():
        columns = {"age": AGE, "town": cycle(*towns), "note": cycle(*NOTES)}
        if slot == "holdout":
            columns = {"age": [age + 40 for age in AGE], "town": cycle(*towns[::-1]), "note": cycle(*NOTES[1:])}
        elif slot == "synthetic":
            columns = {name: cells[::-1] for name, cells in columns.items()}
        paths[slot] = folder / f"{slot}.csv"
        paths[slot].write_bytes(made(columns).decode().encode(encoding))
    return paths


def copies(tables: Tables) -> int:
    return sum(problem.count for problem in tables.problems if problem.code == "verbatim_copies")


@pytest.mark.parametrize("language", TOWNS)
@pytest.mark.parametrize(
    ("real", "release", "holdout"),
    [("cp1252", "cp1252", "cp1252"), ("utf-8", "cp1252", "cp1252"), ("utf-8", "cp1252", "utf-8")],
)
def test_windows_files_of_western_europe_are_read_and_their_copies_found(
    tmp_path: Path, language: str, real: str, release: str, holdout: str
) -> None:
    paths = written(tmp_path, TOWNS[language], real=real, synthetic=release, holdout=holdout)
    tables = read_tables(**paths)
    assert [file.encoding for file in tables.files] == [real, release, holdout]
    assert copies(tables) == N
    guessed = [problem.file for problem in tables.problems if problem.code == "encoding_guess"]
    assert guessed == [file.name for file in tables.files if file.encoding != "utf-8"], "every guess is asked about"


def test_words_of_another_file_decide_where_alphabets_cannot(tmp_path: Path) -> None:
    towns = ["Győr", "Pécs", "Szőlős", "Eger"]  # in cp1252 the same bytes are õ, as in Portuguese
    alone = read_together({"real": written(tmp_path, towns, real="cp1250")["real"]})
    assert alone["real"].encoding == "cp1252"
    paths = written(tmp_path, towns, real="utf-8", synthetic="cp1250")
    texts = read_together(paths)
    assert (texts["synthetic"].encoding, texts["synthetic"].encoding_from) == ("cp1250", "guess")
    assert codes(texts["synthetic"].problems) == ["encoding_guess"]
    assert copies(tables_of(texts, {})) == N


def test_one_encoding_is_decided_over_all_files() -> None:
    real = read_csv("x\nŻary\nGdańsk\nŁódź\n".encode("cp1250"), name="real.csv")
    release = read_csv("x\nGyõr\nEger\nPécs\n".encode("cp1252"), name="syn.csv")
    assert (real.encoding, release.encoding) == ("cp1250", "cp1252")
    assert agree_encodings({"real": real, "synthetic": release}) == {"synthetic": "cp1250"}
    assert agree_encodings({"real": real}) == {}


def test_a_file_of_another_machine_keeps_its_own_encoding() -> None:
    words = "x\nMünchen\nKöln\nStraße\nGöttingen\n"
    files = {
        slot: read_csv(words.encode(name), name=slot) for slot, name in (("real", "cp1252"), ("synthetic", "mac_roman"))
    }
    assert agree_encodings(files) == {}
    assert [file.encoding for file in files.values()] == ["cp1252", "mac_roman"]


def test_a_person_says_the_encoding_of_one_file_or_of_all_that_do_not_show_it(tmp_path: Path) -> None:
    paths = written(tmp_path, ["Győr", "Pécs", "Szőlős", "Eger"], real="cp1250", synthetic="cp1250", holdout="utf-8")
    for encodings in ({"": "cp1250"}, {"real": "cp1250", "synthetic": "cp1250"}):
        texts = read_together(paths, encodings=encodings)
        assert [text.encoding_from for text in texts.values()] == ["chosen", "chosen", "utf-8"]
        assert copies(tables_of(texts, {})) == N


def test_a_wrong_reading_is_refused_and_the_doubtful_file_is_named(tmp_path: Path) -> None:
    paths = written(tmp_path, ["Łódź", "Kraków", CANARY], real="cp1250", synthetic="utf-8", holdout="utf-8")
    texts = read_together(paths, encodings={"real": "cp1251"})
    with pytest.raises(SchemaError) as caught:
        tables_of(texts, {})
    assert (caught.value.problem.code, caught.value.problem.file) == ("encoding_differs", "real.csv")
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("length", [4, 60])
def test_mangled_texts_that_are_no_categories_are_refused_too(length: int) -> None:
    notes = [f"Notiz über Nr. {row} " + "und mehr " * (length // 10) for row in range(N)]
    right = read_csv(made({"age": AGE, "note": notes}), name="real.csv")
    wrong = read_csv(made({"age": AGE, "note": notes}), name="syn.csv", encoding="cp1252")
    with pytest.raises(SchemaError) as caught:
        tables_of({"real": right, "synthetic": wrong}, {})
    assert (caught.value.problem.code, caught.value.problem.column) == ("encoding_differs", "note")
