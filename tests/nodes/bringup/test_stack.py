"""Words for the end of a process, and free domains."""

import socket

import pytest
from adm_nodes.bringup.domain import _is_free, use_private_domain
from adm_nodes.bringup.stack import describe_end


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (-9, "died (signal 9, SIGKILL)"),
        (-11, "died (signal 11, SIGSEGV)"),
        (-200, "died (signal 200)"),
        (2, "ended (exit code 2)"),
    ],
)
def test_describe_end(code, text):
    assert describe_end(code) == text


def test_a_domain_chosen_by_the_user_is_kept(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "42")
    assert use_private_domain() == 42


def test_a_domain_in_use_is_not_free(domain):
    assert _is_free(domain)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("", 7410 + 250 * domain))
        assert not _is_free(domain)
