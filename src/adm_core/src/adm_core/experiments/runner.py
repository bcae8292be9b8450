"""Run many episodes on several processes, keep every row, go on where the last run stopped."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import Any, Protocol

from adm_core.experiments.episode import Row, run_episode
from adm_core.experiments.store import RowStore

#: Episodes that a worker takes at a time: few, so that an interrupted run loses little.
_BATCH = 4

_LOOK_S = 1.0  # how often a worker looks whether its parent lives

Progress = Callable[[int, int], None]


class Episode(Protocol):
    """One run of an experiment: small, picklable, with a key for everything that decides it."""

    @property
    def key(self) -> str:
        """Digest of everything that decides the outcome."""

    @property
    def variant(self) -> str:
        """Name of its parameters in tables."""

    @property
    def profile(self) -> str:
        """Name of the profile that it takes its parameters from."""


def run_episodes(
    episodes: Sequence[Episode],
    store: RowStore,
    jobs: int = 1,
    progress: Progress | None = None,
    work: Callable[[Any], Row] = run_episode,
) -> list[Row]:
    """Return one row per episode, in their order; run only those that `store` has not.

    Parameters
    ----------
    episodes : sequence of Episode
        What to run.
    store : RowStore
        Keeps each row as soon as its batch of episodes ends; an interrupted run goes on from it.
    jobs : int
        Processes; 1 runs in this one.
    progress : callable, optional
        Called with the number of finished episodes and of all.
    work : callable
        Runs one episode; a function of a module, so that other processes find it.

    Raises
    ------
    ValueError
        If `jobs` is not positive.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be >= 1, got {jobs}")
    keys = [episode.key for episode in episodes]
    waiting = {
        key: episode for key, episode in zip(keys, episodes, strict=True) if not store.get(key)
    }
    done = len(keys) - len(waiting)
    rows = _in_processes if jobs > 1 and len(waiting) > 1 else _here
    for finished in rows(list(waiting.values()), jobs, work):
        store.add(finished)
        done += len(finished)
        if progress:
            progress(done, len(keys))
    return [_labelled(store, key, episode) for key, episode in zip(keys, episodes, strict=True)]


def _labelled(store: RowStore, key: str, episode: Episode) -> Row:
    """Return the row under the name that this experiment gives to its parameters."""
    row = store.get(key)
    assert row is not None
    return {**row, "variant": episode.variant, "profile": episode.profile}


def _here(episodes: list[Episode], jobs: int, work: Callable[[Any], Row]) -> Iterator[list[Row]]:
    for episode in episodes:
        yield [work(episode)]


def _in_processes(
    episodes: list[Episode], jobs: int, work: Callable[[Any], Row]
) -> Iterator[list[Row]]:
    batches = [episodes[start : start + _BATCH] for start in range(0, len(episodes), _BATCH)]
    pool = ProcessPoolExecutor(min(jobs, len(batches)), initializer=_follow_parent)
    try:
        futures: list[Future[list[Row]]] = [pool.submit(_batch, work, item) for item in batches]
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _batch(work: Callable[[Any], Row], episodes: list[Episode]) -> list[Row]:
    return [work(episode) for episode in episodes]


def _follow_parent() -> None:
    """Let Ctrl-C end the parent, which stops the pool in order; end when the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)
