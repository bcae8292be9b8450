"""What people do to a mission under way: hold, resume, step, cancel, stop at once, edit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from adm_core.memory.edits import OperatorEdit


class Word(str, Enum):
    """A control, by the word that logs and messages use."""

    HOLD = "hold"
    RESUME = "resume"
    STEP = "step"
    CANCEL = "cancel"
    ESTOP = "estop"
    RESET = "reset"


@dataclass(frozen=True)
class Control:
    """One control: what, by whom, and why."""

    word: Word
    operator: str
    detail: str = ""


class Controls:
    """Controls of one mission; every method may be called from any thread or signal handler.

    A held mission dispatches nothing. An emergency stop is latched: it takes the running skill
    away at once, and only :meth:`reset` lifts it, after which the mission is still held until
    :meth:`resume` or :meth:`step`. Cancelling is final for this run, which may be resumed from
    its log like an interrupted one.

    Parameters
    ----------
    on_hold : callable, optional
        Called again and again by the mission's own thread while it is held, with these
        controls; asks a person, or cancels. Without it the thread waits.
    held : bool
        Whether to begin on hold.
    reset_by : str
        Operator who lifts an emergency stop that an earlier run ended with; empty: nobody yet.
    """

    def __init__(
        self,
        on_hold: Callable[[Controls], None] | None = None,
        held: bool = False,
        reset_by: str = "",
    ) -> None:
        self.on_hold = on_hold
        self.listeners: list[Callable[[Control], None]] = []  # drivers that must stop at once
        self._changed = threading.Condition(threading.RLock())
        self._mode = Word.HOLD if held else Word.RESUME
        self._reset_by = reset_by
        self._stopped = False
        self._cancelled: Control | None = None
        self._news: list[Control] = []
        self._edits: list[OperatorEdit] = []

    # -- for people -------------------------------------------------------------------------

    def hold(self, operator: str, detail: str = "") -> None:
        """Dispatch nothing more until told so."""
        self._set(Control(Word.HOLD, operator, detail), mode=Word.HOLD)

    def resume(self, operator: str) -> None:
        """Go on; has no effect on an emergency stop."""
        self._set(Control(Word.RESUME, operator), mode=Word.RESUME)

    def step(self, operator: str) -> None:
        """Go on to the end of the next skill (or the skill under way), then hold again."""
        self._set(Control(Word.STEP, operator), mode=Word.STEP)

    def cancel(self, operator: str, detail: str = "") -> None:
        """End the mission between two actions, with its log complete."""
        control = Control(Word.CANCEL, operator, detail)
        with self._changed:
            self._cancelled = control
            self._set(control)

    def estop(self, operator: str, detail: str = "") -> None:
        """Stop at once, whatever is under way, and stay so until :meth:`reset`."""
        with self._changed:
            self._stopped = True
            self._set(Control(Word.ESTOP, operator, detail), mode=Word.HOLD)

    def reset(self, operator: str) -> None:
        """Lift the emergency stop; the mission stays on hold."""
        with self._changed:
            self._stopped = False
            self._set(Control(Word.RESET, operator))

    def edit(self, edit: OperatorEdit) -> None:
        """Hand an edit of the memory in; it is applied before the next action."""
        with self._changed:
            self._edits.append(edit)
            self._changed.notify_all()

    def _set(self, control: Control, mode: Word | None = None) -> None:
        with self._changed:
            self._mode = mode or self._mode
            self._news.append(control)
            self._changed.notify_all()
        for listener in self.listeners:
            listener(control)

    # -- for the mission ----------------------------------------------------------------------

    @property
    def held(self) -> bool:
        """Whether nothing may be dispatched."""
        return (self._mode is Word.HOLD or self._stopped) and self._cancelled is None

    @property
    def stopped(self) -> bool:
        """Whether an emergency stop is latched."""
        return self._stopped

    @property
    def cancelled(self) -> Control | None:
        """The control that cancelled the mission, if one did."""
        return self._cancelled

    def latch(self) -> None:
        """Take an emergency stop over from a run that ended with it."""
        with self._changed:
            mode, self._stopped, self._mode = self._mode, True, Word.HOLD
        if self._reset_by:
            self.reset(self._reset_by)
            self._mode = mode

    def reaches_boundary(self) -> None:
        """Note that a skill begins: a step ends here."""
        with self._changed:
            if self._mode is Word.STEP:
                self._mode = Word.HOLD

    def wait(self, edits_wake: bool = True) -> None:
        """Return once the mission may go on or is cancelled; asks whoever can be asked.

        Parameters
        ----------
        edits_wake : bool
            Whether an edit ends the wait too: it is then applied, and seen, during a hold.
        """

        def waiting() -> bool:
            return self.held and not (edits_wake and self._edits)

        while waiting():
            if self.on_hold is not None:
                self.on_hold(self)
                continue
            with self._changed:
                if waiting():
                    self._changed.wait()

    def take_news(self) -> list[Control]:
        """Return the controls since the last call, for the log."""
        with self._changed:
            news, self._news = self._news, []
        return news

    def take_edits(self) -> tuple[OperatorEdit, ...]:
        """Return the edits since the last call."""
        with self._changed:
            edits, self._edits = tuple(self._edits), []
        return edits
