"""The person at the terminal: holds a mission, approves skills, edits the memory."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from adm_core.errors import AdmError
from adm_core.files import visible
from adm_core.memory.edit_words import EDIT_FORMS, parse_edit
from adm_core.planning.approval import Answer
from adm_core.planning.controls import Controls
from adm_core.planning.plan import Step
from adm_core.planning.progress import Snapshot

INTERRUPTED = "interrupted"
_HELP = f"""\
  c  continue            s  carry out one skill, then hold again
  e  emergency stop      r  reset the emergency stop
  q  end the mission, which can be resumed
  or an edit: {"; ".join(EDIT_FORMS)}
"""
_ANSWERS = {
    "y": (True, "yes"),
    "yes": (True, "yes"),
    "a": (True, "always"),
    "always": (True, "always"),
    "n": (False, "no"),
    "no": (False, "no"),
}


class Terminated(Exception):
    """SIGTERM came while a person was asked."""


class Terminal:
    """Prompts on a terminal; without one it cancels what is held and approves nothing.

    Parameters
    ----------
    operator : str
        Name that goes to the log.
    source, stream : text streams, optional
        Where answers come from and where questions go (default: standard input and error).
    pause_view : callable
        Called before something is written, so that a live view stays whole.
    """

    def __init__(
        self,
        operator: str,
        source: TextIO | None = None,
        stream: TextIO | None = None,
        pause_view: Callable[[], object] = lambda: None,
    ) -> None:
        self.operator = operator
        self.look: Callable[[], Snapshot] | None = None  # at the mission, once there is one
        self._source = source or sys.stdin
        self._stream = stream or sys.stderr
        self.pause_view = pause_view
        self._reads = False  # waits for an answer: a signal's handler alone would not wake it
        self._terminated = False

    @property
    def is_there(self) -> bool:
        """Whether there is a person to ask."""
        streams = (self._source, self._stream)  # None in a process without any
        return all(item is not None and not item.closed and item.isatty() for item in streams)

    def terminate(self) -> None:
        """Take no more answers; raise Terminated where one is waited for (in a handler)."""
        self._terminated = True
        if self._reads:
            raise Terminated

    # -- hold -------------------------------------------------------------------------------

    def on_hold(self, controls: Controls) -> None:
        """Ask what to do about a held mission; without a terminal, end it in order."""
        if not self.is_there:
            why = "held: the emergency stop is latched" if controls.stopped else INTERRUPTED
            controls.cancel(self.operator, why)
            return
        state = "EMERGENCY STOP" if controls.stopped else "held"
        words = "[r]eset, [q]uit" if controls.stopped else "[c]ontinue, [s]tep, [e]stop, [q]uit"
        text = self._read(f"{state} {self._where()}\n  {words} or [h]elp? ")
        if not controls.cancelled:  # by a signal, while we waited
            self._obey(text, controls)

    def _obey(self, text: str | None, controls: Controls) -> None:
        """Carry out one line; anything that is not understood leaves the mission held."""
        word = "q" if text is None else text.lower()
        if word in ("q", "quit", "cancel"):
            controls.cancel(self.operator, "cancelled")
        elif word in ("e", "estop"):
            controls.estop(self.operator, "at the prompt")
        elif word in ("r", "reset"):
            controls.reset(self.operator)
        elif word in ("c", "continue", "s", "step") and controls.stopped:
            self._say("  the emergency stop is latched: reset it first\n")
        elif word in ("c", "continue"):
            controls.resume(self.operator)
        elif word in ("s", "step"):
            controls.step(self.operator)
        elif not text or word in ("h", "help", "?"):
            self._say(_HELP)
        else:
            self._edit(text, controls)

    def _edit(self, text: str, controls: Controls) -> None:
        try:
            edit = parse_edit(text.split(), self.operator)
        except AdmError as err:
            self._say(f"  {err}\n{_HELP}")
            return
        controls.edit(edit)

    def _where(self) -> str:
        if self.look is None:
            return "before the first action"
        seen = self.look()
        ahead = " > ".join(map(str, seen.plan)) or "search"
        held = f", holding {seen.held_id}" if seen.held_id else ""
        return f"at step {seen.step}{held}; next: {ahead}"

    # -- approval ---------------------------------------------------------------------------

    def ask(self, action: Step) -> Answer:
        """Ask whether a skill may be dispatched; nobody there, or no answer, is a no."""
        if not self.is_there:
            return Answer(False, "", "nobody")
        step = f"step {self.look().step}: " if self.look else ""
        question = f"{step}{action}?  [y]es, [n]o, [a]lways {action.skill}: "
        while True:
            text = self._read(question)
            if text is None:
                return Answer(False, "", "nobody")
            if text.lower() in _ANSWERS:
                granted, how = _ANSWERS[text.lower()]
                return Answer(granted, self.operator, how)

    # -- text -------------------------------------------------------------------------------

    def _read(self, prompt: str) -> str | None:
        """Return one line, stripped; None at the end of the input, and after a termination."""
        self.pause_view()
        try:
            line = self._ask_line(prompt)
        except Terminated:
            return None
        return line.strip() if line else None

    def _ask_line(self, prompt: str) -> str:
        """Return what is typed; no signal is lost between question and wait."""
        try:
            self._reads = True
            if self._terminated:
                return ""
            self._say(prompt)
            return self._source.readline()
        finally:
            self._reads = False

    def _say(self, text: str) -> None:
        self._stream.write(visible(text))
        self._stream.flush()


@contextmanager
def signals_control(controls: Controls, terminal: Terminal) -> Iterator[list[int]]:
    """Let signals control a mission: SIGINT holds, SIGTERM ends, SIGUSR1 stops at once.

    The second SIGINT raises KeyboardInterrupt. Yields the numbers of the signals that came.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def on_interrupt(number: int, _: object) -> None:
        came.append(number)
        if came.count(signal.SIGINT) > 1:
            raise KeyboardInterrupt
        controls.hold("signal", "SIGINT")
        with suppress(OSError, RuntimeError):  # the handler may have cut into a write
            sys.stderr.write("\nholding after this action; Ctrl-C again ends at once\n")

    def on_terminate(number: int, _: object) -> None:
        came.append(number)
        controls.cancel("signal", INTERRUPTED)
        terminal.terminate()

    handlers = {
        signal.SIGINT: on_interrupt,
        signal.SIGTERM: on_terminate,
        signal.SIGUSR1: lambda *_: controls.estop("signal", "SIGUSR1"),
    }
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    on_hold = terminal.on_hold

    def ask_anew(held: Controls) -> None:
        on_hold(held)
        if not held.held:
            came[:] = [item for item in came if item != signal.SIGINT]  # the next one holds again

    controls.on_hold = ask_anew if terminal.is_there else on_hold
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
