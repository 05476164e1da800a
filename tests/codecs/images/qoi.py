# SPDX-License-Identifier: LGPL-2.1-or-later
"""QOI, by an encoder that takes each kind of operation where it fits."""
import struct

from drawing import reference, sample

END = bytes(7) + b'\1'


def head(width, height, channels, colors=0):
    return b'qoif' + struct.pack('>IIBB', width, height, channels, colors)


def slot(pixel):
    return sum(v * f for v, f in zip(pixel, (3, 5, 7, 11))) % 64


def near(value, old):
    return (value - old + 128) % 256 - 128


def operation(pixel, last, index):
    if index[slot(pixel)] == pixel:
        return bytes([slot(pixel)])
    if pixel[3] != last[3]:
        return b'\xff' + bytes(pixel)
    red, green, blue = (near(v, old) for v, old in zip(pixel[:3], last))
    if all(-2 <= v <= 1 for v in (red, green, blue)):
        return bytes([0x40 | red + 2 << 4 | green + 2 << 2 | blue + 2])
    if -32 <= green <= 31 and all(-8 <= v - green <= 7 for v in (red, blue)):
        return bytes([0x80 | green + 32, red - green + 8 << 4 | blue - green + 8])
    return b'\xfe' + bytes(pixel[:3])


def encode(rows):
    last, index, run, out = (0, 0, 0, 255), [(0, 0, 0, 0)] * 64, 0, b''
    for pixel in (pixel for row in rows for pixel in row):
        if pixel == last and run < 62:
            run += 1
            continue
        if run > 0:
            out += bytes([0xc0 | run - 1])
            run = 0
        if pixel == last:
            run = 1
            continue
        out += operation(pixel, last, index)
        index[slot(pixel)] = last = pixel
    return out + (bytes([0xc0 | run - 1]) if run > 0 else b'')


def draw(width, height, alpha, coarse):
    """Soft where coarse is 1; with jumps and runs where it is more."""
    def value(x, y, channel):
        return sample(x // coarse * coarse, y, channel, 255) if channel < 3 else sample(x // 7 * 40, y // 5 * 30, 3, 255)
    return [[tuple(value(x, y, c) if c < 3 or alpha else 255 for c in range(4)) for x in range(width)]
            for y in range(height)]


def pictures():
    kinds = (('soft', 61, 37, False, 1), ('runs', 200, 23, False, 67), ('alpha', 61, 37, True, 9),
             ('large', 300, 260, True, 5), ('narrow', 1, 40, False, 1), ('dot', 1, 1, True, 1))
    for name, width, height, alpha, coarse in kinds:
        rows = draw(width, height, alpha, coarse)
        yield 'ok/%s.qoi' % name, head(width, height, 4 if alpha else 3) + encode(rows) + END
        yield 'ref/%s.qoi.png' % name, reference(rows)
    rows = draw(61, 37, False, 1)
    data = encode(rows)
    black = [[(0, 0, 0, 255)] * 90] * 2
    lost = [[(0, 0, 0, 0)] * 61]
    more = (('no-end', head(61, 37, 3) + data, rows), ('more', head(61, 37, 3) + data + END + bytes(99), rows),
            ('rgb-of-4', head(61, 37, 4) + data + END, rows), ('black', head(90, 2, 3) + encode(black) + END, black),
            ('run-beyond', head(61, 1, 3) + b'\xfd', [[(0, 0, 0, 255)] * 61]),
            ('linear', head(61, 37, 3, 1) + data + END, rows),
            ('partial-cut', head(61, 37, 3) + encode(rows[:20]) + b'\xfe\1', rows[:20] + lost * 17),
            ('partial-end', head(61, 37, 3) + encode(rows[:20]) + END, rows[:20] + lost * 17))
    for name, data, shown in more:
        yield 'ok/%s.qoi' % name, data
        yield 'ref/%s.qoi.png' % name, reference(shown)
    for name, data in (('corrupt-head', head(4, 4, 3)[:13]), ('corrupt-channels', head(4, 4, 2) + data),
                       ('corrupt-colors', head(4, 4, 3, 2) + data), ('corrupt-flat', head(0, 4, 3) + data),
                       ('corrupt-empty', head(400, 4, 3) + END), ('too-large', head(1 << 31, 1 << 31, 4) + data),
                       ('too-large-wide', head(0xffffffff, 1, 4) + data)):
        yield 'fail/%s.qoi' % name, data
