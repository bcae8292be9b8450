"""H.264 as the drone sends it: Annex B over UDP in small datagrams."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from adm_core.manipulation.colour import Picture

DATAGRAM = 1460


class Encoder:
    """Pictures to H.264 with the parameter sets ahead of every key frame.

    Parameters
    ----------
    width, height, rate : int
        Of the video.

    Raises
    ------
    ImportError
        If PyAV is missing.
    """

    def __init__(self, width: int, height: int, rate: int) -> None:
        import av  # as djitellopy needs it

        self._frame = av.VideoFrame.from_ndarray
        self._codec: Any = av.CodecContext.create("libx264", "w")
        self._codec.width, self._codec.height = width, height
        self._codec.pix_fmt = "yuv420p"
        self._codec.time_base, self._codec.framerate = Fraction(1, rate), Fraction(rate, 1)
        self._codec.thread_count = 1
        self._codec.options = {
            "preset": "ultrafast",
            "tune": "zerolatency",
            "crf": "23",
            "x264-params": f"keyint={rate}:repeat-headers=1:annexb=1:scenecut=0",
        }
        self._count = 0

    def encode(self, picture: Picture) -> bytes:
        """Return the bytes of one picture (blue, green, red)."""
        frame = self._frame(picture, format="bgr24")
        frame.pts = self._count
        self._count += 1
        return b"".join(bytes(packet) for packet in self._codec.encode(frame))


def datagrams(data: bytes) -> Iterator[bytes]:
    """Cut the bytes of a picture up; the last piece is the rest."""
    for begin in range(0, len(data), DATAGRAM):
        yield data[begin : begin + DATAGRAM]


def send_picture(sender: socket.socket, data: bytes, address: tuple[str, int]) -> None:
    """Send the bytes of one picture."""
    for piece in datagrams(data):
        sender.sendto(piece, address)
