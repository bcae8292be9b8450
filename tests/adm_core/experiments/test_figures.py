import sys

import pytest
from adm_core.experiments.ablation import AblationExperiment
from adm_core.experiments.ablation import conduct as conduct_ablation
from adm_core.experiments.figures import require_figures
from adm_core.experiments.long import LongExperiment
from adm_core.experiments.long import conduct as conduct_long
from adm_core.experiments.memory import MemoryExperiment
from adm_core.experiments.memory import conduct as conduct_memory
from adm_core.experiments.runner import run_episodes
from adm_core.experiments.store import ExperimentError, RowStore

CASES = [
    (conduct_memory, MemoryExperiment(episodes=1)),
    (conduct_long, LongExperiment(containers="8", lost="0.5", outage="", episodes=1)),
    (conduct_ablation, AblationExperiment(scenario="S-6", factors="attention.k", episodes=1)),
]


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ExperimentError, match="pip install matplotlib"):
        require_figures()


@pytest.mark.parametrize(("conduct", "config"), CASES, ids=["memory", "long", "ablation"])
def test_figures_are_drawn_again_from_the_rows_alone(conduct, config, tmp_path):
    pytest.importorskip("matplotlib")
    drawn = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        with RowStore(tmp_path / "rows.jsonl") as store:
            report = conduct(config, lambda episodes, store=store: run_episodes(episodes, store))
        drawn.append({path.name: path.read_bytes() for path in report.draw(folder)})
    assert drawn[0] == drawn[1]
    assert {name.rsplit(".", 1)[1] for name in drawn[0]} == {"png", "svg"}
    assert all(len(data) > 5000 for data in drawn[0].values())
