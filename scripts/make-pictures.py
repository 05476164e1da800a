#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""make-pictures.py FOLDER: writes a few PNG pictures, so that a first run has something to show."""
import math
import os
import struct
import sys
import zlib

SIZE = (1200, 900)


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def write_png(path, width, height, pixel):
    rows = b''.join(b'\0' + bytes(v for x in range(width) for v in pixel(x / width, y / height))
                    for y in range(height))
    header = struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header)
                   + chunk(b'IDAT', zlib.compress(rows, 6)) + chunk(b'IEND', b''))


def dusk(x, y):
    sun = math.hypot((x - 0.65) * 4 / 3, y - 0.6) < 0.12
    hill = y > 0.75 + 0.06 * math.sin(9 * x) + 0.03 * math.sin(23 * x)
    if hill:
        return 24, 32, 40
    return (255, 224, 150) if sun else (int(40 + 200 * y), int(60 + 80 * y), int(140 - 40 * y))


def rings(x, y):
    wave = 0.5 + 0.5 * math.cos(60 * math.hypot(x - 0.5, y - 0.5))
    return int(255 * wave), int(255 * x * wave), int(255 * y)


def weave(x, y):
    over = (int(x * 24) + int(y * 18)) % 2
    return (196, 64, 48) if over else (240, int(190 + 60 * y), int(120 + 100 * x))


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for pixel in (dusk, rings, weave):
        write_png(os.path.join(folder, pixel.__name__ + '.png'), *SIZE, pixel)


if __name__ == '__main__':
    main(sys.argv[1])
