"""Words that a text for everybody should not hold: paragraphs with them stay out of the training, and samples are scanned for them.

It is a coarse sieve: violence, insults and swearing as whole words. Some words are only stored as their checksums, so that nobody has to
read them here.
"""

from __future__ import annotations

import re
import zlib
from functools import cache

_HURTFUL = re.compile(
    r"kill\w*|murder\w*|stab(?:s|bed|bing)?|suicid\w*|slaughter\w*|strangl\w*|tortur\w*|massacre\w*|corpses?|blood(?:y|shed|thirsty)"
    r"|guns?|rifles?|pistols?|shotguns?|weapons?|naked|drunk\w*|damn\w*|hell|devil\w*|stupid\w*|idiot\w*|morons?|lunatics?|imbeciles?"
    r"|ugl(?:y|iest|ier)|hate[ds]?|hating|hatred|savages?|slave[ds]?|slavery|heathens?|whipp(?:ed|ing)|hanged|crippled?s?|gyps(?:y|ies)"
    r"|gips(?:y|ies)|bastards?|poison\w*|drown\w*|insane|scum|wretch(?:es)?"
)
_UNPRINTED = frozenset(
    {
        # crc32 of slurs and obscenities, in small letters
        0x0040840c, 0x0c7206a1, 0x10181690, 0x1c23dabc, 0x1c3de73e, 0x2c399cb7, 0x31b4780a, 0x34fbed0b, 0x3dbf7a3b,
        0x439bde35, 0x43dd03e0, 0x444029bd, 0x47efb3b9, 0x4b6ebe39, 0x5216b6bb, 0x53aa5a86, 0x5af64758, 0x5c64ddbd,
        0x611964d4, 0x61448318, 0x66f5861c, 0x73411015, 0x73fe0531, 0x75f1cb2c, 0x7ee4e08a, 0x803a2b3a, 0x8447d070,
        0x8925c2cd, 0x8ce8ed6e, 0x9559c34b, 0x95cdd185, 0x9bd991db, 0xa9f573ac, 0xae8264e7, 0xba850aa4, 0xbb80fa3d,
        0xbef3a4b6, 0xc00e8627, 0xc063859c, 0xd1af713c, 0xd888e711, 0xd8ede3c3, 0xd9c51376, 0xdaf9301c, 0xdd822c92,
        0xe26aef2f, 0xe8d73970, 0xe92a798a, 0xeb114459, 0xefa269f7, 0xf6fbde46, 0xf9835dcc, 0xfa950ed0, 0xfb9ff7b3,
        0xfbea926d, 0xfd5d2f3d,
    }
)
_WORD = re.compile(r"[a-z]+")


@cache
def _is_hurtful(word: str) -> bool:
    return bool(_HURTFUL.fullmatch(word)) or zlib.crc32(word.encode()) in _UNPRINTED


def hurtful(text: str) -> list[str]:
    """The words of this text that should not be there, in their order.

    >>> hurtful("The giant said he would KILL the dragon.")
    ['kill']
    """
    return [word for word in _WORD.findall(text.lower()) if _is_hurtful(word)]
