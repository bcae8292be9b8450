"""The Tello behind djitellopy; every command is sent once."""

import math
import time

_READERS = []


class DroneError(Exception):
    """The drone cannot be used; `reason` is one word."""

    def __init__(self, reason, text):
        Exception.__init__(self, "%s: %s" % (reason, text))
        self.reason = reason


class Answer(object):
    """Answer to a command."""

    def __init__(self, ok, text, timed_out=False):
        self.ok, self.text, self.timed_out = ok, text, timed_out


class Tello(object):
    """One drone.

    djitellopy sends an unanswered command three times, and a relative motion would be flown three
    times: so commands go through its ``send_command_with_return``. Its queue of answers is
    emptied before each; after one that was late, a number is asked for until it comes.
    """

    def __init__(self, host, port):
        self._host, self._port = host, port
        self._tello = self._frames = self._state = None
        self._late = False
        self.heard = float("-inf")

    def connect(self):
        """Enter command mode and wait for the state; DroneError if either does not come."""
        if self._tello is None:
            self._tello = self._open()
        if not any(self.command("command", 2).ok for _ in range(3)):
            raise DroneError("no_answer", "%s:%d" % (self._host, self._port))
        end = time.time() + 3
        while self.state() is None:
            if time.time() > end:
                raise DroneError("no_state", "no packet on UDP port 8890")
            time.sleep(0.05)

    def _open(self):
        trouble = None
        try:
            import djitellopy

            djitellopy.Tello.LOGGER.setLevel("ERROR")
            tello = djitellopy.Tello(host=self._host)
        except ImportError as err:
            trouble = DroneError("not_installed", str(err))
        except EnvironmentError as err:  # its ports are taken
            trouble = DroneError("no_answer", str(err))
        if trouble:
            raise trouble
        tello.address = (self._host, self._port)
        return tello

    def start_video(self):
        """Switch the video on; DroneError if no picture can be read."""
        if not self.command("streamon", 2).ok:
            raise DroneError("no_video", "streamon was refused")
        self._tello.stream_on = True
        for _ in range(3):
            try:
                self._frames = _reader(self._tello)
                return
            except Exception as err:
                trouble = str(err)
        raise DroneError("no_video", trouble)

    def command(self, text, patience):
        """Send a command once and wait for its answer."""
        if self._late and text != "command":
            self._resync()
        answer = self._ask(text, patience)
        self._late = answer.timed_out or (self._late and text == "command")
        return answer

    def _ask(self, text, patience):
        del self._tello.get_own_udp_object()["responses"][:]
        timeout = max(1, int(math.ceil(patience)))
        reply = str(self._tello.send_command_with_return(text, timeout=timeout))
        if reply.startswith("Aborting command"):
            return Answer(False, "no answer to " + text, True)
        return Answer("ok" in reply.lower() or reply.isdigit(), reply)

    def _resync(self):
        answer = self._ask("battery?", 2).text
        waiting = self._tello.get_own_udp_object()["responses"]
        end = time.time() + 1
        while not answer.isdigit() and time.time() < end:
            if waiting:
                answer = waiting.pop(0).decode("utf-8", "replace").strip()
            else:
                time.sleep(0.05)
        self._late = not answer.isdigit()

    def land(self):
        """Land whatever happened; silent if there is no drone."""
        if self._tello is not None:
            self.command("land", 8)

    def state(self):
        """Return the last state packet; `heard` is when it was noticed. None before the first."""
        state = self._tello.get_current_state()
        if state and state is not self._state:
            self._state, self.heard = state, time.time()
        return self._state

    def picture(self, patience):
        """Return a picture that comes from now on, in BGR; None if there is none in time."""
        before, end = self._frames.frame, time.time() + patience
        while time.time() < end:
            frame = self._frames.frame
            self.state()
            if frame is not before:
                return frame[:, :, ::-1].copy()
            time.sleep(0.05)
        return None

    def close(self):
        """Switch the video off and forget the drone."""
        if self._tello is None:
            return
        if self._tello.stream_on:
            self._ask("streamoff", 1)
        tello, self._tello = self._tello, None
        tello.is_flying = tello.stream_on = False
        tello.background_frame_read = None
        tello.end()


def _reader(tello):
    """Return djitellopy's reader of pictures, one for all flights of this process.

    One that is stopped keeps its port until the next picture: the next flight would be blind.
    """
    if not (_READERS and _READERS[0].worker.is_alive()):
        del _READERS[:]
        _READERS.append(tello.get_frame_read())
    tello.background_frame_read = _READERS[0]
    return _READERS[0]
