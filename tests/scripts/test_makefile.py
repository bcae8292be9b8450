"""The targets of the Makefile: what they are said to do and what they would run."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = ("setup", "demo", "test", "lint", "verify", "bench", "clean", "help")

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")


def make(*arguments):
    command = ["make", "--no-print-directory", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_make_alone_lists_every_target_with_a_sentence():
    listed = {line.split()[1]: line.split()[2:] for line in make().splitlines()}
    assert set(TARGETS) <= set(listed)
    assert all(listed.values())


@pytest.mark.parametrize(
    ("variables", "options"),
    [
        ((), "--scenario DN-14 --method attention --seed 0 --nodes composed"),
        (
            ("SCENARIO=S-6", "METHOD=static", "SEED=3", "NODES=process"),
            "--scenario S-6 --method static --seed 3 --nodes process",
        ),
        (
            ("MAP=my maps/a.yaml",),
            "--scenario DN-14 --method attention --seed 0 --nodes composed --map my maps/a.yaml",
        ),
    ],
)
def test_demo_hands_its_variables_to_adm_and_leaves_it_the_terminal(variables, options):
    recipe = " ".join(make("-n", "demo", *variables).replace("\\\n", " ").split())
    assert f"exec adm up recycling {options}" in recipe.replace('"', "")


def test_every_target_that_needs_the_workspace_sets_it_up_first():
    for target in ("demo", "test", "lint", "verify", "bench"):
        assert make("-n", target).splitlines()[0] == "scripts/setup", target


def test_pytest_has_the_last_word_of_a_test_run():
    assert "-m pytest tests" in make("-n", "test").splitlines()[-1]
