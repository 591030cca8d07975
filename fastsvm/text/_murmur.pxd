"""The hash of HashingVectorizer."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy


cdef inline uint32_t murmur(const uint8_t* bytes, Py_ssize_t length) noexcept nogil:
    """MurmurHash3_x86_32 of seed 0 (Appleby), as scikit-learn's murmurhash3_32."""
    cdef uint32_t h = 0, k
    cdef Py_ssize_t i = 0
    while i + 4 <= length:
        memcpy(&k, bytes + i, 4)
        k *= <uint32_t>0xCC9E2D51
        k = (k << 15) | (k >> 17)
        k *= <uint32_t>0x1B873593
        h ^= k
        h = (h << 13) | (h >> 19)
        h = h * 5 + <uint32_t>0xE6546B64
        i += 4
    k = 0
    if length - i == 3:
        k ^= <uint32_t>bytes[i + 2] << 16
    if length - i >= 2:
        k ^= <uint32_t>bytes[i + 1] << 8
    if length - i >= 1:
        k ^= bytes[i]
        k *= <uint32_t>0xCC9E2D51
        k = (k << 15) | (k >> 17)
        k *= <uint32_t>0x1B873593
        h ^= k
    h ^= <uint32_t>length
    h ^= h >> 16
    h *= <uint32_t>0x85EBCA6B
    h ^= h >> 13
    h *= <uint32_t>0xC2B2AE35
    return h ^ (h >> 16)
