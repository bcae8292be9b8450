"""Small exchanges and queries that tests of language model clients share."""

import json

from adm_core.llm.exchange import Outcome, RawReply
from adm_core.memory.method import Focus
from adm_core.memory.records import ExposedRecord, Exposure, Source, Status
from adm_core.planning.query import Query
from worlds import at, mission


class FakeTime:
    """Clock that only sleeping and the transport move."""

    def __init__(self):
        self.now = 0.0
        self.slept = []

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def chat_reply(text, finish="stop", usage=None, **headers):
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "a", "content": text}}
    body = {"object": "chat.completion", "choices": [choice], "usage": usage}
    return RawReply(200, {"content-type": "application/json", **headers}, json.dumps(body))


class Scripted:
    """Exchange that gives the texts of a list, one a call, and keeps the bodies."""

    def __init__(self, *texts, latency_s=1.0):
        self.texts = list(texts)
        self.latency_s = latency_s
        self.bodies = []
        self.budgets = []

    def __call__(self, route, body, budget_s):
        self.bodies.append(body)
        self.budgets.append(budget_s)
        text = self.texts.pop(0)
        if isinstance(text, Outcome):
            return text
        return Outcome(chat_reply(text), None, "", self.latency_s, 1)


def record(name="e1", label="can", q=0.9, status=Status.OBSERVED, score=0.5):
    return ExposedRecord(name, label, at(1, 1), q, status, 0.0, Source.REMOTE, score)


def query(records=None, ways=None, held=None, terminal=(), last="none", of=None):
    records = (record(),) if records is None else tuple(records)
    ways = (1.0,) * len(records) if ways is None else tuple(ways)
    focus = Focus(at(0, 0), held_id=held.id if held else "")
    exposure = Exposure(records, held, tuple(terminal))
    return Query(of or mission(), focus, last, exposure, ways, 3.0)


def plan_text(*steps, rationale=""):
    """Return an answer of (skill, target or None, station or None) triples."""
    keys = ("skill", "target_id", "station_id")
    listed = [dict(zip(keys, step, strict=True)) for step in steps]
    return json.dumps({"rationale": rationale, "steps": listed})


GOOD_PLAN = plan_text(
    ("navigate", "e1", None),
    ("approach", "e1", None),
    ("grasp", "e1", None),
    ("navigate", None, "station_A"),
    ("deliver", "e1", "station_A"),
)
EARLY_DELIVERY = plan_text(("deliver", "e1", "station_A"))
