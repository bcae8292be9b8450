"""The README's Python examples print what it says, and its commands exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", TEXT, re.S)
LINKS = re.findall(r"\]\((?!http)([^)#]+)\)", TEXT)
TARGETS = set(re.findall(r"^\s*make (\w+)", TEXT, re.M)) | set(re.findall(r"`make (\w+)`", TEXT))


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_examples_print_what_the_readme_shows(code, output):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == output


def test_there_is_an_example():
    assert len(EXAMPLES) >= 1


@pytest.mark.parametrize("link", LINKS)
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert TARGETS
    assert {name for name in TARGETS if not re.search(rf"^{name}:", makefile, re.M)} == set()
