"""How many tokens a text is, without any model's vocabulary."""

from __future__ import annotations

import re

#: What byte-pair vocabularies split before they merge: words with the space before them,
#: up to three digits, runs of punctuation.
_PIECES = re.compile(r" ?[^\W\d_]+|\d{1,3}| ?[^\s\w]+|_+|\s+")
_WORD_CHARS = 8


def estimate_tokens(text: str) -> int:
    """Return a cautious estimate: the larger of two counts.

    One is a token for every four bytes, as the ledger counts where an endpoint reports
    nothing. Tables of numbers have shorter tokens; so the other is the number of pieces
    before any merge, with one more for every eight letters of a long word.
    """
    pieces = sum(1 + (len(piece) - 1) // _WORD_CHARS for piece in _PIECES.findall(text))
    return max(-(-len(text.encode("utf-8", "replace")) // 4), pieces)
