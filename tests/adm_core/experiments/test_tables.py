import csv
import io

from adm_core.experiments.statistics import Estimate
from adm_core.experiments.tables import Table

TABLE = Table(
    "Title",
    ("scenario", "success %", "steps", "note"),
    [("S_6", Estimate(62.0, 52.5, 71.0), 201.25, None), ("D", Estimate(7.0, 1, 9), 53049.0, 3)],
)


def test_text_aligns_words_left_and_numbers_right():
    lines = TABLE.text().splitlines()
    assert lines[0] == "Title"
    assert lines[1].startswith("scenario  ") and lines[3].startswith("S_6       ")
    assert len({len(line) for line in lines[1:]}) == 1
    assert "62.0 [52.5, 71.0]" in lines[3] and "53,049" in lines[4] and lines[3].endswith("-")


def test_csv_gives_an_interval_three_columns_and_full_precision():
    rows = list(csv.reader(io.StringIO(TABLE.csv())))
    assert rows[0][:4] == ["scenario", "success %", "success % low", "success % high"]
    assert rows[1] == ["S_6", "62.0", "52.5", "71.0", "201.25", ""]
    assert {len(row) for row in rows} == {6}


def test_latex_escapes_and_ends_every_row():
    text = TABLE.latex()
    assert r"S\_6" in text and r"success \%" in text
    assert text.count(r"\\") == 3 and text.count("&") == 3 * 3
    assert text.startswith(r"\begin{tabular}{lrrr}") and text.endswith("\\end{tabular}\n")
