"""Rows on disk: what a file holds that is no row."""

import pytest
from adm_core.experiments.store import ExperimentError, RowStore


def test_a_file_of_other_bytes_is_one_clear_error(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xff\xfe\x00garbage\n")
    with pytest.raises(ExperimentError, match="are damaged: no UTF-8 text"):
        RowStore(path)
    assert path.read_bytes() == b"\xff\xfe\x00garbage\n"


def test_lines_that_are_no_rows_are_left_out(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"key": "a", "x": 1}\n{"key": ["b"]}\n[1]\n' + "[" * 100_000 + '\n{"key": "c"')
    with RowStore(path) as store:
        assert store.get("a") == {"key": "a", "x": 1}
        assert store.get("c") is None
