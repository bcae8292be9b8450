"""Files are whole or not there."""

import os

import pytest
from adm_core.files import visible, write_atomic


def test_pieces_are_joined_and_folders_made(tmp_path):
    path = tmp_path / "a" / "b.bin"
    write_atomic(path, [b"one ", memoryview(b"two"), bytearray(b" three")])
    assert path.read_bytes() == b"one two three"


def test_an_error_half_way_keeps_the_old_file_and_leaves_no_draft(tmp_path):
    path = tmp_path / "b.bin"
    path.write_bytes(b"old")

    def pieces():
        yield b"new"
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        write_atomic(path, pieces())
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["b.bin"]


def test_a_folder_in_the_way_is_an_os_error(tmp_path):
    (tmp_path / "b.bin").mkdir()
    with pytest.raises(OSError):
        write_atomic(tmp_path / "b.bin", [b"new"])
    assert os.listdir(tmp_path) == ["b.bin"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain Größe 名\nnext", "plain Größe 名\nnext"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\rb\x9b", "a\\rb\\x9b"),
        ("\u202eabc\ud800", "\\u202eabc\\ud800"),
    ],
)
def test_what_a_terminal_would_obey_is_spelled_out(text, shown):
    assert visible(text) == shown
