# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the pictures of several formats are made with."""
import struct
import zlib

SIGNATURE = b'\x89PNG\r\n\x1a\n'


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def ihdr(width, height, depth, color, interlace=0):
    return chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, color, 0, 0, interlace))


def sample(x, y, channel, top):
    """A soft picture: filters have something to predict, and each channel is another."""
    wave = (x * (5 + channel) + y * (3 - channel) + (x * y >> 3)) % (2 * top + 2)
    return wave if wave <= top else 2 * top + 1 - wave


def pack(values, depth):
    if depth == 16:
        return struct.pack('>%dH' % len(values), *values)
    if depth == 8:
        return bytes(values)
    bits = ''.join(format(value, '0%db' % depth) for value in values)
    bits += '0' * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, 'big')


def reference(rows):
    """Rows of RGBA as PNG."""
    data = b''.join(b'\0' + bytes(value for pixel in row for value in pixel) for row in rows)
    return SIGNATURE + ihdr(len(rows[0]), len(rows), 8, 6) + chunk(b'IDAT', zlib.compress(data)) + chunk(b'IEND', b'')
