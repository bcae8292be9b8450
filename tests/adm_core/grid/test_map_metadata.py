"""The YAML file: what is accepted, what is refused and with which words."""

import math

import pytest
from adm_core.errors import MapError
from adm_core.grid.map_metadata import read_metadata
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def test_the_usual_file(write_map, tmp_path):
    meta = read_metadata(write_map())
    assert meta.image == tmp_path / "m.pgm"
    assert (meta.resolution, tuple(meta.origin)) == (0.05, (0.0, 0.0, 0.0))
    assert (meta.negate, meta.occupied_thresh, meta.free_thresh) == (False, 0.65, 0.196)
    assert meta.mode == "trinary"


@pytest.mark.parametrize(
    "text, value",
    [
        *((text, False) for text in ("0", "0.0", "'0'", "false", "False", "off", "n")),
        *((text, True) for text in ("1", "1.0", "'1'", "true", "TRUE", "yes", "Y")),
    ],
)
def test_negate_in_every_spelling(write_map, text, value):
    assert read_metadata(write_map(negate=text)).negate is value


@pytest.mark.parametrize("text", ["5e-2", "'0.05'", "+0.05", ".05", "0.050000", "5.0E-2"])
def test_numbers_in_every_spelling(write_map, text):
    assert read_metadata(write_map(resolution=text)).resolution == 0.05


@pytest.mark.parametrize(
    "text", ["[1, -2.5, 0.5]", "\n- 1.0\n- -2.5\n- 5e-1", "['1', '-2.5', '0.5']", "[+1,-2.5,.5]"]
)
def test_origin_in_every_form(write_map, text):
    assert tuple(read_metadata(write_map(origin=text)).origin) == (1.0, -2.5, 0.5)


@pytest.mark.parametrize("text", ["scale", "Scale", "RAW", "'trinary'"])
def test_modes_ignore_case(write_map, text):
    assert read_metadata(write_map(mode=text)).mode == text.strip("'").lower()


def test_unknown_keys_byte_order_marks_and_documents_do_no_harm(write_map):
    path = write_map(cost_translation_table="[1, 2]")
    path.write_bytes(b"\xef\xbb\xbf---\n# map\n" + path.read_bytes() + b"---\nother: 1\n")
    assert read_metadata(path).resolution == 0.05


@pytest.mark.parametrize("name", ["../images/a b.pgm", "/srv/maps/other.pgm", "m.v2.png"])
def test_the_image_is_relative_to_the_file_or_absolute(write_map, tmp_path, name):
    path = write_map()
    path.write_text(path.read_text().replace("m.pgm", name))
    assert read_metadata(path).image == tmp_path / name


def test_a_path_of_another_machine_is_refused_with_the_remedy(write_map):
    path = write_map()
    path.write_text(path.read_text().replace("m.pgm", "/home/someone/maps/m.pgm"))
    with pytest.raises(MapError, match=r"but m\.pgm lies beside the map: write 'image: m\.pgm'"):
        read_metadata(path)


BAD_VALUES = [
    ("resolution", "0", "resolution must be a finite number > 0"),
    ("resolution", "-0.05", "resolution must be"),
    ("resolution", ".nan", "resolution must be"),
    ("resolution", "nan", "resolution must be"),
    ("resolution", ".inf", "resolution must be"),
    ("resolution", "coarse", "got coarse"),
    ("resolution", "", "got ''"),
    ("resolution", "[0.05]", "resolution must be"),
    ("resolution", "{a: 1}", "resolution must be"),
    ("origin", "[0, 0]", "origin must be three finite numbers [x, y, yaw]"),
    ("origin", "[0, 0, 0, 0]", "origin must be"),
    ("origin", "0", "origin must be"),
    ("origin", "[.nan, 0, 0]", "origin must be"),
    ("origin", "[0, -.inf, 0]", "origin must be"),
    ("origin", "[0, 0, east]", "origin must be"),
    ("origin", "[0, 0, [1]]", "origin must be"),
    ("origin", "{x: 0, y: 0, yaw: 0}", "origin must be"),
    ("negate", "2", "negate must be 0, 1, true or false, got 2"),
    ("negate", "maybe", "negate must be"),
    ("negate", "[0]", "negate must be"),
    ("occupied_thresh", "1.5", "occupied_thresh must be a number between 0 and 1"),
    ("occupied_thresh", "high", "occupied_thresh must be"),
    ("free_thresh", "-0.1", "free_thresh must be a number between 0 and 1"),
    ("free_thresh", ".nan", "free_thresh must be"),
    ("free_thresh", "0.65", "free_thresh must be below occupied_thresh, got 0.65 and 0.65"),
    ("free_thresh", "0.9", "below occupied_thresh"),
    ("mode", "ternary", "mode must be one of trinary, scale, raw, got ternary"),
    ("mode", "", "mode must be"),
    ("mode", "[raw]", "mode must be"),
    ("image", "''", "image must be the name of an image file"),
    ("image", "[m.pgm]", "image must be"),
    ("image", '"a\\0b"', "image must be"),
]


@pytest.mark.parametrize("key, text, message", BAD_VALUES)
def test_a_bad_value_is_refused_by_name_in_one_line(write_map, key, text, message):
    path = write_map()
    kept = [line for line in path.read_text().splitlines() if not line.startswith(f"{key}:")]
    path.write_text("\n".join([*kept, f"{key}: {text}"]))
    with pytest.raises(MapError) as caught:
        read_metadata(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "key", ["image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh"]
)
def test_an_absent_key_is_named(write_map, key):
    with pytest.raises(MapError, match=f"missing key {key}$"):
        read_metadata(write_map(**{key: None}))


@pytest.mark.parametrize(
    "text, message",
    [
        (b"", "no 'key: value' lines"),
        (b"# nothing\n", "no 'key: value' lines"),
        (b"- a\n- b\n", "no 'key: value' lines"),
        (b"just words", "no 'key: value' lines"),
        (b"a: [1, 2", "not valid YAML: line 1"),
        (b"a: b: c", "not valid YAML: line 1"),
        (b"a: 1\n\tb: 2", "not valid YAML: line"),
        (b"a: *nobody", "not valid YAML"),
        (bytes(range(256)), "not a YAML text file"),
        (b"P5\n3 3\n255\n\x00\x80\xff" * 50, "not a YAML text file"),
        (b"a: " + b"[" * 5000, "YAML"),
        (b"? [a]\n: 1\n? {b: 1}\n: 2", "not valid YAML: line 1"),
        (b"#" * 1_000_001, "larger than"),
    ],
)
def test_what_is_no_metadata_file_is_refused_in_one_line(tmp_path, text, message):
    path = tmp_path / "m.yaml"
    path.write_bytes(text)
    with pytest.raises(MapError) as caught:
        read_metadata(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", ["x" * 500, "[" + "1, " * 500 + "2]", "[[[1]]]", '"a\\nb"'])
def test_any_value_is_shown_short_and_on_one_line(write_map, value):
    with pytest.raises(MapError, match="resolution must be") as caught:
        read_metadata(write_map(resolution=value))
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(MapError, match="no such map file"):
        read_metadata(tmp_path / "absent.yaml")
    with pytest.raises(MapError, match="is a directory"):
        read_metadata(tmp_path)
    with pytest.raises(MapError):
        read_metadata("a\0b")
    with pytest.raises(MapError, match="no such map file"):
        read_metadata("~nobody-of-that-name/m.yaml")


def test_any_yaw_is_kept(write_map):
    meta = read_metadata(write_map(origin=f"[0, 0, {-math.pi / 3!r}]"))
    assert meta.origin.yaw == -math.pi / 3


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.text("image: resolution\norigin{}[]&*!|>'\"0.5-,#%@`?", max_size=120).map(str.encode),
    )
)
def test_random_text_raises_nothing_but_map_errors(tmp_path, text):
    path = tmp_path / "m.yaml"
    path.write_bytes(text)
    with pytest.raises(MapError) as caught:
        read_metadata(path)
    assert "\n" not in str(caught.value)
