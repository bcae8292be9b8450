"""The one thread that touches a drone."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable

from adm_core.aerial.drone import Drone
from adm_core.aerial.estimate import Whereabouts
from adm_core.aerial.flight import FlightPlan, FlightStatus, Look
from adm_core.aerial.helm import Clock
from adm_core.aerial.pilot import Pilot


class SteadyClock:
    """The machine's own seconds: a drone knows no simulated time."""

    now = staticmethod(time.monotonic)
    sleep = staticmethod(time.sleep)


class FlightWorker:
    """Flies one plan at a time in a thread of its own.

    Parameters
    ----------
    drone : Drone
        Touched by that thread alone.
    on_event : callable
        Gets every FlightStatus and Look, in that thread.
    on_mistake : callable
        Gets the trace of an exception that nobody expected.
    clock : Clock
        The drone's time.
    """

    def __init__(
        self,
        drone: Drone,
        on_event: Callable[[FlightStatus | Look], None],
        on_mistake: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._drone, self._on_event, self._on_mistake = drone, on_event, on_mistake
        self._clock = clock
        self._thread: threading.Thread | None = None
        self._placed: Whereabouts | None = None
        self.pilot: Pilot | None = None

    @property
    def flying(self) -> bool:
        """Whether a flight is under way."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def landed_at(self) -> Whereabouts | None:
        """Where it stands since the last flight, or since it was put there; None before both."""
        if self._placed is not None or self.pilot is None:
            return self._placed
        return self.pilot.status.known.at_height(0.0)

    def put(self, place: Whereabouts) -> None:
        """Take over where somebody has put it; ValueError while it flies."""
        if self.flying:
            raise ValueError("place: a flight is under way")
        self._placed = place

    def start(self, plan: FlightPlan) -> None:
        """Begin a flight.

        ValueError if one is under way, or the plan breaks its own limits.
        """
        if self.flying:
            raise ValueError("a flight is under way")
        self.pilot = Pilot(self._drone, plan, self._clock)
        self._placed = None
        self._thread = threading.Thread(target=self._fly, args=(self.pilot,), daemon=True)
        self._thread.start()

    def _fly(self, pilot: Pilot) -> None:
        flight = pilot.fly()
        try:
            for event in flight:
                self._on_event(event)
        except Exception:
            self._on_mistake(traceback.format_exc())
            flight.close()  # lands, if it is in the air
            self._on_event(pilot.status)

    def land(self, patience_s: float, meanwhile: Callable[[], None]) -> bool:
        """Land and wait for the end of the flight; False if it did not end in time."""
        if self.pilot is not None:
            self.pilot.land()
        end = time.monotonic() + patience_s
        while self.flying and time.monotonic() < end:
            assert self._thread is not None
            self._thread.join(0.25)
            meanwhile()
        return not self.flying

    def close(self) -> None:
        """Let go of the drone; a flight must have ended."""
        if not self.flying:
            self._drone.close()
