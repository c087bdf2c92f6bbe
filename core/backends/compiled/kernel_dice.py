"""`core.sampling.dice.roll` in compiled code, with the same numbers, because NumPy's three objects per roll take longer than the roll.

SeedSequence (M. O'Neill's seed_seq, as numpy.random has it) computes the key, Philox 4x64 in ten rounds (Salmon and others, 2011) the
number. Importing this module compiles it, or loads the compiled code from disk.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

_INIT_A, _MULT_A = np.uint32(0x43B0D7E5), np.uint32(0x931E8875)
_INIT_B, _MULT_B = np.uint32(0x8B51F9DD), np.uint32(0x58F38DED)
_MIX_L, _MIX_R = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
_SHIFT = np.uint32(16)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_FACTORS = np.array([0xD2E7470EE14C6C93, 0xCA5A826395121157], np.uint64)
_BUMPS = np.array([0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B], np.uint64)
_ROUNDS = 10


@njit(nogil=True)
def _stirred(word):  # type: ignore[no-untyped-def]
    return np.uint32(word ^ (word >> _SHIFT))


@njit(nogil=True)
def _key(words, key):  # type: ignore[no-untyped-def]
    """Write the key uint64 [2] that SeedSequence computes from four uint32."""
    pool, constant = np.empty(4, np.uint32), _INIT_A
    for i in range(4):
        word = np.uint32(words[i] ^ constant)
        constant = np.uint32(constant * _MULT_A)
        pool[i] = _stirred(np.uint32(word * constant))
    for source in range(4):
        for other in range(4):
            if source != other:
                word = np.uint32(pool[source] ^ constant)
                constant = np.uint32(constant * _MULT_A)
                word = _stirred(np.uint32(word * constant))
                pool[other] = _stirred(np.uint32(_MIX_L * pool[other] - _MIX_R * word))
    constant = _INIT_B
    for i in range(4):
        word = np.uint32(pool[i] ^ constant)
        constant = np.uint32(constant * _MULT_B)
        pool[i] = _stirred(np.uint32(word * constant))
    for i in range(2):
        key[i] = np.uint64(pool[2 * i]) | (np.uint64(pool[2 * i + 1]) << _HALF)


@njit(nogil=True)
def _upper_half(a, b):  # type: ignore[no-untyped-def]
    """Return the upper 64 bits of a product of two uint64."""
    a_low, a_high, b_low, b_high = a & _LOW, a >> _HALF, b & _LOW, b >> _HALF
    crossed = a_high * b_low + ((a_low * b_low) >> _HALF)
    other = a_low * b_high + (crossed & _LOW)
    return a_high * b_high + (crossed >> _HALF) + (other >> _HALF)


@njit(types.float64(types.uint64, types.uint64, types.uint64), nogil=True, cache=True)
def roll(seed, step_index, attempt):  # type: ignore[no-untyped-def]
    """Return a number in [0, 1); see `core.sampling.dice.roll`."""
    words, key = np.empty(4, np.uint32), np.empty(2, np.uint64)
    words[0], words[1], words[2], words[3] = seed & _LOW, step_index, attempt, seed >> _HALF
    _key(words, key)
    zero = np.uint64(0)
    first, second, third, fourth = np.uint64(1), zero, zero, zero  # the counter; NumPy increments it before use
    for _ in range(_ROUNDS):
        one, other = first * _FACTORS[0], third * _FACTORS[1]
        high_one, high_other = _upper_half(first, _FACTORS[0]), _upper_half(third, _FACTORS[1])
        first, second, third, fourth = high_other ^ second ^ key[0], other, high_one ^ fourth ^ key[1], one
        key[0] += _BUMPS[0]
        key[1] += _BUMPS[1]
    return np.float64(first >> np.uint64(11)) * 2.0**-53
