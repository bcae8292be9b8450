import argparse
import json

import pytest
from adm_core.commands import bench
from adm_core.errors import AdmError


def parse(*argv):
    parser = argparse.ArgumentParser()
    bench.configure(parser)
    return parser.parse_args(argv)


def test_kernels_prints_checked_rows_as_json(capsys):
    assert bench.run(parse("kernels", "--cases", "A,A-list,B", "--sizes", "300", "--json")) == 0
    out = json.loads(capsys.readouterr().out)
    assert {row["case"] for row in out["rows"]} == {"A", "A-kept", "A-list", "B10", "B20"}
    assert out["checks"] and all(check[3] for check in out["checks"])


def test_outside_a_checkout_it_says_so(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "bench.py"))
    with pytest.raises(AdmError, match="checkout"):
        bench.run(parse("kernels"))
