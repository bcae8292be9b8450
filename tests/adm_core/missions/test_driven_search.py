"""A sweep that is told what to do goes the way of one that decides itself."""

from adm_core.missions.driven_search import DrivenSearch
from adm_core.missions.search import RUNNING, SearchMission, Setting
from adm_core.missions.setup import MissionConfig
from adm_core.missions.team import summarize_team, team_mission
from adm_core.missions.team_config import TeamConfig
from adm_core.missions.team_setup import TeamSetup, make_team_setup
from adm_core.search.explorer import Explorer
from adm_core.search.methods import sagr_plus
from adm_core.search.task import SearchTask


def driven(scenario, setting):
    """Return a driven search with an explorer beside it, as nodes have one."""
    method = sagr_plus()
    explorer = Explorer(
        method.strategy, len(scenario.starts), SearchTask(), setting.search, method.fallback
    )

    def decide():
        reports = [search.world.report(robot) for robot in range(len(scenario.starts))]
        moves = explorer.decide(search.maps[0], reports)
        return moves if explorer.state == RUNNING else None

    search = DrivenSearch(scenario, setting, decide)
    return search


def team_of(**more):
    config = MissionConfig(seed=2, containers=3)
    return make_team_setup(config, TeamConfig(scale="small", team_budget=2000, **more))


def test_every_step_is_the_same():
    team = team_of()
    setting = Setting(search=team.setting.search, budget_steps=10_000)
    alone = SearchMission(team.building, "sagr+", SearchTask(), setting, 0)
    steps = [(item.step, item.cells, item.share) for item in alone.run()]
    told = driven(team.building, setting)
    assert [(item.step, item.cells, item.share) for item in told.run()] == steps
    assert (told.maps[0].grid == alone.maps[0].grid).all()


def test_a_joint_mission_takes_the_same_decisions_when_its_searchers_are_driven():
    class Driven(TeamSetup):
        def world(self, publish, make=None):
            setting = self.setting
            return super().world(publish, lambda scenario, _: driven(scenario, setting))

    def finish(team):
        mission = team_mission(team)
        for _ in mission.run():
            pass
        return summarize_team(team, mission, 0.0)

    plain = team_of(relocation=0.01)
    told = Driven(**{name: getattr(plain, name) for name in plain.__dataclass_fields__})
    expected, found = finish(plain), finish(told)
    assert found == expected
    assert found.decision_sha256 and found.steps > 0
