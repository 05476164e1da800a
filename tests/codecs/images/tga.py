# SPDX-License-Identifier: LGPL-2.1-or-later
"""Truevision TGA and X bitmaps."""
import struct

from drawing import reference, sample

WIDTH, HEIGHT = 37, 13
DOWN, BACK = 0x20, 0x10


def head(kind, bits, flags=0, size=(WIDTH, HEIGHT), note=b'', colors=(0, 0, 0)):
    return struct.pack('<BBBHHBHHHHBB', len(note), int(colors[1] > 0), kind, *colors, 3, 9, *size, bits, flags) + note


def draw(width=WIDTH, height=HEIGHT, coarse=1):
    return [[tuple(sample(x // coarse, y, c, 255) for c in range(4)) for x in range(width)] for y in range(height)]


def fives(pixel):
    return tuple(((v >> 3) * 255 + 15) // 31 for v in pixel[:3]) + (255,)


def stored(pixel, bits):
    r, g, b, a = pixel
    if bits in (15, 16):
        return struct.pack('<H', r >> 3 << 10 | g >> 3 << 5 | b >> 3)
    return bytes((b, g, r, a)[:bits // 8])


def packed(pixels):
    """Runs and what is none, over the ends of rows."""
    out = b''
    while pixels:
        same = next((i for i, p in enumerate(pixels[:128]) if p != pixels[0]), min(len(pixels), 128))
        if same > 1:
            out += bytes((0x7f + same,)) + pixels[0]
        else:
            same = 1 + len(pixels) % 7
            same = min(same, len(pixels))
            out += bytes((same - 1,)) + b''.join(pixels[:same])
        pixels = pixels[same:]
    return out


def order(rows, flags):
    rows = rows if flags & DOWN else rows[::-1]
    return [pixel for row in rows for pixel in (row[::-1] if flags & BACK else row)]


def body(rows, bits, flags, kind):
    pixels = [stored(pixel, bits) for pixel in order(rows, flags)]
    return packed(pixels) if kind & 8 else b''.join(pixels)


def footer(at, alpha):
    return bytes(494) + bytes([alpha]), struct.pack('<II', at, 0) + b'TRUEVISION-XFILE.\0'


def colors():
    rows = draw()
    solid = [[p[:3] + (255,) for p in row] for row in rows]
    short = [[fives(p) for p in row] for row in rows]
    coarse = draw(coarse=9)
    for kind in (2, 10):
        for flags in (0, DOWN, BACK, DOWN | BACK):
            name = 'rgb-%d-%02x' % (kind, flags)
            yield name, head(kind, 24, flags) + body(rows, 24, flags, kind), solid
        for bits in (15, 16):
            yield 'rgb-%d-%d' % (kind, bits), head(kind, bits, 1) + body(rows, bits, 0, kind), short
        yield 'rgba-%d' % kind, head(kind, 32, 8) + body(rows, 32, 0, kind), rows
        yield 'rgb-32-%d' % kind, head(kind, 32, 0) + body(rows, 32, 0, kind), solid
        yield 'coarse-%d' % kind, head(kind, 32, 8) + body(coarse, 32, 0, kind), coarse
    data = head(2, 32, 8) + body(rows, 32, 0, 2)
    for name, alpha, shown in (('none', 0, solid), ('ignored', 1, solid), ('kept', 2, solid), ('useful', 3, rows)):
        yield 'alpha-' + name, data + b''.join(footer(len(data), alpha)), shown
    multiplied = [[tuple(v * p[3] // 255 for v in p[:3]) + p[3:] for p in row] for row in rows]
    data = head(2, 32, 8) + body(multiplied, 32, 0, 2)
    yield 'alpha-multiplied', data + b''.join(footer(len(data), 4)), multiplied
    yield 'footer-wild', data + footer(0xfffffff0, 0)[1], multiplied
    yield 'footer-0', data + footer(0, 0)[1], multiplied
    yield 'note', head(2, 24, 0, note=b'n' * 255) + body(rows, 24, 0, 2), solid
    yield 'unused-map', head(2, 24, 0, colors=(0, 9, 24)) + bytes(27) + body(rows, 24, 0, 2), solid
    large = draw(300, 260, 3)
    yield 'large', head(10, 32, 8, (300, 260)) + body(large, 32, 0, 10), large
    lost = [[(0, 0, 0, 0)] * WIDTH] * 7
    yield 'partial-up', head(2, 24) + body(rows, 24, 0, 2)[:37 * 3 * 6 + 99], lost + solid[7:]
    yield 'partial-packed', head(10, 24, DOWN) + body(rows[:6], 24, DOWN, 10) + b'\xff\1\2', solid[:6] + lost


def grey():
    rows = draw()
    for kind in (3, 11):
        for bits in (8, 16):
            stored = [bytes((p[0], p[3])[:bits // 8]) for p in order(rows, 0)]
            data = packed(stored) if kind == 11 else b''.join(stored)
            for alpha in (0, 8):
                shown = [[p[:1] * 3 + (p[3] if alpha and bits == 16 else 255,) for p in row] for row in rows]
                yield 'grey-%d-%d-%d' % (kind, bits, alpha), head(kind, bits, alpha) + data, shown


def mapped():
    table = [tuple(sample(i * 3, i, c, 255) for c in range(4)) for i in range(300)]
    for kind in (1, 9):
        for bits, first in ((15, 0), (16, 5), (24, 0), (32, 7)):
            for wide in (8, 16):
                entries = table[:200] if wide == 8 else table
                rows = [[(x * 3 + y * 5) % len(entries) for x in range(WIDTH)] for y in range(HEIGHT)]
                pixels = [struct.pack('<H', i + first)[:wide // 8] for i in order(rows, 0)]
                data = packed(pixels) if kind == 9 else b''.join(pixels)
                shades = [fives(p) if bits < 24 else p[:3] + (p[3] if bits == 32 else 255,) for p in entries]
                shown = [[shades[i] for i in row] for row in rows]
                yield 'map-%d-%d-%d' % (kind, bits, wide), \
                    head(kind, wide, 8, colors=(first, len(entries), bits)) + b''.join(stored(p, bits) for p in entries) + data, shown
    rows = [[(x * 3 + y * 5) % 256 for x in range(WIDTH)] for y in range(HEIGHT)]
    data = bytes(order(rows, 0))
    part = b''.join(stored(p, 24) for p in table[:100])
    black = [[table[i][:3] + (255,) if i < 100 else (0, 0, 0, 255) for i in row] for row in rows]
    yield 'map-short', head(1, 8, colors=(0, 100, 24)) + part + data, black


def tga_damage():
    junk = bytes(500)
    yield 'corrupt-cut', head(2, 24, size=(40, 40)) + junk[:60]
    yield 'corrupt-zero', head(2, 24, size=(0, 4)) + junk
    yield 'corrupt-map', head(1, 8, colors=(0, 9, 7)) + junk
    yield 'corrupt-packed', head(10, 24, size=(4000, 4)) + b'\xff'
    yield 'corrupt-map-cut', head(1, 8, colors=(0, 65535, 32)) + junk
    yield 'corrupt-note', head(2, 24, note=b'x' * 255)[:100]
    yield 'too-large', head(2, 24, size=(65535, 65535)) + junk
    yield 'unknown-format-bits', head(2, 17) + junk
    yield 'unknown-format-interleaved', head(2, 24, 0x40) + junk
    yield 'unknown-format-kind', head(33, 24) + junk
    yield 'unknown-format-no-map', head(1, 8) + junk


def xbm(rows, width, kind='static unsigned char', bits=8, before='', form='0x%02x', between=', '):
    values = [sum(v << i for i, v in enumerate(row[at:at + bits])) for row in rows for at in range(0, width, bits)]
    text = '%s#define a_width %d\n#define a_height %d\n#define a_x_hot 1\n%s a_bits[] = {\n %s };\n'
    return (text % (before, width, len(rows), kind, between.join(form % v for v in values))).encode()


def bitmaps():
    rows = [[int((x * y + x) % 5 < 2) for x in range(21)] for y in range(11)]
    shown = [[(0, 0, 0, 255) if v else (255, 255, 255, 255) for v in row] for row in rows]
    yield 'plain', xbm(rows, 21), shown
    yield 'signed', xbm(rows, 21, 'static char'), shown
    yield 'short', xbm(rows, 21, 'static short', 16, form='0x%04X'), shown
    yield 'comment', xbm(rows, 21, before='/* a width, {height} **/ '), shown
    yield 'decimal', xbm(rows, 21, form='%d'), shown
    yield 'dense', xbm(rows, 21, between=','), shown
    yield 'comments', xbm(rows, 21, between=' ,/* 0x9 */\n'), shown
    yield 'one-line', xbm(rows, 21).replace(b'static', b'\tstatic\tconst'), shown
    yield 'no-end', xbm(rows, 21)[:-4], shown
    large = [[int((x * y >> 4) % 5 < 2) for x in range(300)] for y in range(260)]
    yield 'large', xbm(large, 300), [[(0, 0, 0, 255) if v else (255, 255, 255, 255) for v in row] for row in large]
    lost = [[(0, 0, 0, 0)] * 21] * 5
    more = xbm(rows, 21).replace(b'_height 11', b'_height 16')
    yield 'partial-end', more, shown + lost
    yield 'partial-junk', more.replace(b' };', b', x, 0x1, 0x2, 0x3'), shown + lost


def bitmap_damage():
    good = xbm([[1] * 8] * 8, 8)
    yield 'corrupt-no-array', good[:good.index(b'{')]
    yield 'corrupt-number', good.replace(b'width 8', b'width -8')
    yield 'corrupt-zero', good.replace(b'height 8', b'height 0')
    yield 'corrupt-empty', good[:good.index(b'{') + 1]
    yield 'corrupt-no-row', xbm([[1] * 8], 8).replace(b'width 8', b'width 99')
    yield 'corrupt-kind', good.replace(b'char', b'void')
    yield 'corrupt-width', good.replace(b'a_width', b'a_breadth')
    yield 'too-large', good.replace(b'width 8', b'width 2000000000').replace(b'height 8', b'height 2000000000')
    yield 'unknown-format-code', b'#define A 1\nint main () { return 0; }\n'
    yield 'unknown-format-comment', b'/* a comment without an end'
    yield 'unknown-format-long', b'/*' + b' ' * 70000 + b'*/' + good
    yield 'unknown-format-empty', b'#define '


def pictures():
    for suffix, good, bad in (('tga', (colors, grey, mapped), tga_damage), ('xbm', (bitmaps,), bitmap_damage)):
        for kind in good:
            for name, data, shown in kind():
                yield 'ok/%s.%s' % (name, suffix), data
                yield 'ref/%s.%s.png' % (name, suffix), reference(shown)
        for name, data in bad():
            yield 'fail/%s.%s' % (name, suffix), data
