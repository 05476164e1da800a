#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the pictures of the codec suite: make-images.py FOLDER STAMP.

FOLDER/ok/ holds what must decode (partial-NAME: only in part), FOLDER/fail/ what must be refused; there a name
starts with the status that is expected. FOLDER/ref/NAME.png has the pixels of ok/NAME. FOLDER/icons/ is for test-icons.c. Needs nothing but the
standard library."""
import os
import struct
import sys
import zlib

import icons
import netpbm
import ora
import psd
import qoi
import tga
from drawing import SIGNATURE, chunk, ihdr, pack, reference, sample

SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def paeth(left, above, corner):
    guess = left + above - corner
    ways = (abs(guess - left), abs(guess - above), abs(guess - corner))
    return (left, above, corner)[ways.index(min(ways))]


def filtered(kind, row, above, step):
    out = bytearray([kind])
    for i, byte in enumerate(row):
        left = row[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        guess = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind]
        out.append((byte - guess) & 255)
    return bytes(out)


def scan(width, height, depth, color, columns, rows):
    """The filtered rows of one pass, each filter three times in its turn."""
    channels = SAMPLES[color]
    top = (1 << depth) - 1
    step = max(1, channels * depth // 8)
    out = b''
    above = None
    for n, y in enumerate(rows):
        row = pack([sample(x, y, c, top) for x in columns for c in range(channels)], depth)
        out += filtered(n // 3 % 5, row, above or bytes(len(row)), step)
        above = row
    return out


def pixels(width, height, depth, color, interlace):
    passes = PASSES if interlace else ((0, 0, 1, 1),)
    return b''.join(scan(width, height, depth, color, range(x, width, step_x), range(y, height, step_y))
                    for x, y, step_x, step_y in passes if x < width and y < height)


def png(width, height, depth, color, interlace=0, before=b'', pieces=1):
    data = zlib.compress(pixels(width, height, depth, color, interlace), 9)
    size = -(-len(data) // pieces)
    idat = b''.join(chunk(b'IDAT', data[i:i + size]) for i in range(0, len(data), size))
    palette = b''
    if color == 3:
        palette = chunk(b'PLTE', bytes((i * f + 40) & 255 for i in range(1 << depth) for f in (7, 101, 29)))
    return (SIGNATURE + ihdr(width, height, depth, color, interlace) + palette + before + idat
            + chunk(b'IEND', b''))


def png_pictures():
    kinds = [(0, d) for d in (1, 2, 4, 8, 16)] + [(3, d) for d in (1, 2, 4, 8)]
    kinds += [(color, d) for color in (2, 4, 6) for d in (8, 16)]
    for color, depth in kinds:
        for interlace in (0, 1):
            for width, height in ((37, 29), (1, 1), (5, 3), (260, 11)):
                name = 'ok/c%d-d%02d-i%d-%dx%d.png' % (color, depth, interlace, width, height)
                yield name, png(width, height, depth, color, interlace)
    for depth in (1, 2, 4, 8, 16):
        grey = chunk(b'tRNS', struct.pack('>H', 1))
        yield 'ok/trns-grey-%02d.png' % depth, png(21, 17, depth, 0, 0, grey)
        if depth >= 8:
            key = struct.pack('>HHH', *(sample(3, 2, c, (1 << depth) - 1) for c in range(3)))
            yield 'ok/trns-rgb-%02d.png' % depth, png(21, 17, depth, 2, 1, chunk(b'tRNS', key))
        else:
            yield 'ok/trns-palette-%02d.png' % depth, png(21, 17, depth, 3, 1, chunk(b'tRNS', b'\x00\x80'))
    tiff = b'MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0'
    yield 'ok/exif6.png', png(30, 20, 8, 2, 0, chunk(b'eXIf', tiff))
    yield 'ok/pieces.png', png(64, 64, 8, 2, 0, b'', 500)
    yield 'ok/animated.png', png(16, 16, 8, 6, 0, chunk(b'acTL', struct.pack('>II', 3, 0)))
    base = png(64, 48, 8, 2)
    yield 'ok/trailing.png', base + b'\0garbage' * 100
    yield 'ok/no-iend.png', base[:-12]
    bad = bytearray(base)
    bad[-17] ^= 255
    yield 'ok/bad-crc.png', bytes(bad)
    bad = bytearray(base)
    bad[base.index(b'IDAT') + 4 + struct.unpack('>I', base[33:37])[0] - 1] ^= 255
    yield 'ok/bad-adler.png', bytes(bad)


def png_bombs():
    bomb = zlib.compress(b'A' * 20_000_000, 9)
    for kind, payload in ((b'zTXt', b'Comment\0\0' + bomb), (b'iTXt', b'Comment\0\1\0\0\0' + bomb),
                          (b'iCCP', b'icc\0\0' + bomb)):
        yield 'ok/bomb-%s.png' % kind.decode(), png(32, 32, 8, 2, 0, chunk(kind, payload))
    yield 'fail/too-large-rgba.png', SIGNATURE + ihdr(100000, 100000, 8, 6) + chunk(b'IDAT', zlib.compress(b''))
    yield 'fail/too-large-grey.png', SIGNATURE + ihdr(30000, 30000, 1, 0) + chunk(b'IDAT', zlib.compress(b''))
    yield 'fail/corrupt-wide.png', SIGNATURE + ihdr(1 << 31, 1, 1, 0) + chunk(b'IDAT', b'')


def png_damage():
    base = png(64, 48, 8, 2)
    start = base.index(b'IDAT')
    yield 'ok/partial-half.png', base[:(start + len(base)) // 2]
    yield 'ok/partial-adam7.png', png(64, 48, 8, 2, 1)[:-600]
    dirty = bytearray(png(64, 48, 8, 6, 0, b'', 9))
    dirty[len(dirty) * 2 // 3:len(dirty) * 2 // 3 + 40] = b'\xff' * 40
    yield 'ok/partial-dirty.png', bytes(dirty)
    yield 'fail/corrupt-cut-header.png', base[:30]
    yield 'fail/corrupt-no-idat.png', base[:start - 4]
    yield 'fail/corrupt-no-palette.png', SIGNATURE + ihdr(4, 4, 8, 3) + chunk(b'IDAT', zlib.compress(bytes(20)))
    yield 'fail/corrupt-zero.png', SIGNATURE + ihdr(0, 4, 8, 2) + chunk(b'IDAT', zlib.compress(bytes(20)))
    yield 'fail/corrupt-depth.png', SIGNATURE + ihdr(4, 4, 3, 0) + chunk(b'IDAT', zlib.compress(bytes(20)))
    yield 'fail/corrupt-filter.png', SIGNATURE + ihdr(4, 4, 8, 0) + chunk(b'IDAT', zlib.compress(b'\x09' * 20))
    yield 'fail/corrupt-chunks.png', SIGNATURE + ihdr(4, 4, 8, 0) + chunk(b'teSt', b'') * 5000
    yield 'fail/corrupt-unknown.png', base[:33] + chunk(b'TEST', b'') + base[33:]
    yield 'fail/no-content-empty.png', b''
    yield 'fail/unknown-format-text.png', b'this is not a picture\n'


def lzw(indexes, bits):
    """Codes of one width: the table is cleared before it could grow."""
    clear = 1 << bits
    codes = []
    for i, index in enumerate(indexes):
        if i % (clear // 2) == 0:
            codes.append(clear)
        codes.append(index)
    codes.append(clear + 1)
    value = sum(code << (i * (bits + 1)) for i, code in enumerate(codes))
    data = value.to_bytes((len(codes) * (bits + 1) + 7) // 8, 'little')
    blocks = (data[i:i + 255] for i in range(0, len(data), 255))
    return bytes([bits]) + b''.join(bytes([len(block)]) + block for block in blocks) + b'\0'


def gif_frame(left, top, width, height, interlace=0, palette=b'', bits=2, plain=None):
    rows = list(range(height))
    if interlace:
        rows = [y for first, step in ((0, 8), (4, 8), (2, 4), (1, 2)) for y in range(first, height, step)]
    indexes = [(x // 3 + y // 2) % (1 << bits) if plain is None else plain for y in rows for x in range(width)]
    flags = interlace << 6 | (0x80 | bits - 1 if palette else 0)
    return b'\x2c' + struct.pack('<HHHHB', left, top, width, height, flags) + palette + lzw(indexes, bits)


def gif(width, height, frames, palette=b'', control=b''):
    flags = 0x80 | (len(palette) // 3).bit_length() - 2 if palette else 0
    return b'GIF89a' + struct.pack('<HHBBB', width, height, flags, 0, 0) + palette + control + frames + b'\x3b'


def gif_pictures():
    four = bytes((250, 10, 20, 30, 240, 10, 20, 30, 230, 250, 250, 200))
    other = bytes((1, 2, 3, 100, 120, 140, 200, 180, 160, 9, 8, 7))
    see_through = b'\x21\xf9\x04\x05\x0a\x00\x02\x00'
    yield 'ok/plain.gif', gif(40, 30, gif_frame(0, 0, 40, 30), four)
    yield 'ok/interlaced.gif', gif(40, 30, gif_frame(0, 0, 40, 30, 1), four)
    yield 'ok/offset.gif', gif(60, 50, gif_frame(13, 7, 40, 30), four)
    yield 'ok/offset-interlaced.gif', gif(60, 50, gif_frame(13, 7, 40, 30, 1), four, see_through)
    yield 'ok/transparent.gif', gif(40, 30, gif_frame(0, 0, 40, 30), four, see_through)
    yield 'ok/local.gif', gif(40, 30, gif_frame(0, 0, 40, 30, 0, other), four)
    yield 'ok/no-palette.gif', gif(40, 30, gif_frame(0, 0, 40, 30))
    yield 'ok/no-screen.gif', gif(0, 0, gif_frame(0, 0, 40, 30), four)
    yield 'ok/outside.gif', gif(20, 10, gif_frame(5, 4, 40, 30), four)
    yield 'ok/outside-interlaced.gif', gif(20, 10, gif_frame(5, 4, 40, 30, 1), four)
    yield 'ok/two-frames.gif', gif(40, 30, gif_frame(0, 0, 40, 30) + gif_frame(2, 2, 8, 8), four)
    comment = b'\x21\xfe' + b'\xff' * 256 * 300 + b'\0'
    yield 'ok/long-comment.gif', gif(40, 30, gif_frame(0, 0, 40, 30), four, comment)
    whole = gif(40, 30, gif_frame(0, 0, 40, 30), four)
    yield 'ok/no-terminator.gif', whole[:-2]
    yield 'ok/partial-half.gif', whole[:len(whole) // 2]
    whole = gif(40, 30, gif_frame(0, 0, 40, 30, 1), four)
    yield 'ok/partial-interlaced.gif', whole[:len(whole) // 2]
    yield from gif_animations()
    yield 'fail/too-large-canvas.gif', gif(65535, 65535, gif_frame(0, 0, 4, 4), four)
    yield 'fail/no-content-trailer.gif', gif(40, 30, b'', four)
    yield 'fail/no-content-outside.gif', gif(20, 10, gif_frame(20, 4, 40, 30), four)
    yield 'fail/no-content-no-frame-size.gif', gif(20, 10, gif_frame(0, 0, 0, 0), four)
    yield 'fail/corrupt-cut.gif', whole[:20]
    yield 'fail/corrupt-record.gif', gif(40, 30, b'\x77' * 20, four)


def gif_control(disposal, transparent=None):
    return b'\x21\xf9\x04' + struct.pack('<BHBx', disposal << 2 | (transparent is not None), 10, transparent or 0)


def gif_animations():
    """That begin with a canvas which shows nothing."""
    four = bytes((0, 0, 0, 20, 30, 240, 255, 255, 255, 250, 250, 200))
    black, blue, white = (gif_frame(0, 0, 40, 30, plain=i) for i in range(3))
    small = gif_frame(5, 6, 20, 10)
    yield 'ok/black-first.gif', gif(40, 30, black + gif_frame(0, 0, 40, 30, 1), four)
    yield 'ok/black-white-blue.gif', gif(40, 30, black + white + blue, four)
    yield 'ok/blue-then-picture.gif', gif(40, 30, blue + small, four)
    yield 'ok/black-only.gif', gif(40, 30, black * 12, four)
    yield 'ok/late.gif', gif(40, 30, black * 7 + small, four)
    yield 'ok/too-late.gif', gif(40, 30, black * 8 + small, four)
    yield 'ok/nothing-first.gif', gif(40, 30, gif_control(1, 2) + white + gif_control(1, 3) + small, four)
    yield 'ok/outside-first.gif', gif(40, 30, gif_frame(50, 6, 20, 10) + small, four)
    for disposal in range(4):
        yield f'ok/disposal-{disposal}.gif', gif(40, 30, gif_control(disposal, 1) + black + gif_control(0, 1)
                                                 + gif_frame(8, 6, 20, 10, plain=1) + small, four)
        yield f'ok/disposal-part-{disposal}.gif', gif(40, 30, gif_control(1) + blue + gif_control(disposal)
                                                      + gif_frame(8, 6, 20, 10, plain=1) + gif_frame(0, 0, 9, 40), four)
    whole = gif(40, 30, black + gif_frame(0, 0, 40, 30), four)
    yield 'ok/partial-second.gif', whole[:-60]
    yield 'ok/cut-after-first.gif', gif(40, 30, black + b'\x2c\0', four)[:-1]
    yield 'ok/many.gif', gif(40, 30, black * 3000 + small, four)
    dot = gif_frame(2050, 2050, 2, 2, plain=0)
    yield 'ok/huge-canvas.gif', gif(4100, 4100, dot + small, four)
    yield 'fail/no-content-outside-all.gif', gif(20, 10, gif_frame(20, 4, 40, 30) + gif_frame(30, 4, 4, 4), four)


def colors(count):
    return [tuple((i * f + 40) & 255 for f in (7, 101, 29)) for i in range(count)]


def indexes(width, height, count):
    """Rows from the top, with runs of several lengths."""
    return [[(x * x // 9 + y * 3) % count for x in range(width)] for y in range(height)]


def painted(rows, table):
    return [[table[i] + (255,) if i < len(table) else (0, 0, 0, 255) for i in row] for row in rows]


def bmp_info(size, width, height, bits, compression=0, used=0, rest=b''):
    if size == 12:
        return struct.pack('<IHHHH', 12, width, height, 1, bits)
    info = struct.pack('<IiiHHIIiiII', size, width, height, 1, bits, compression, 0, 2835, 2835, used, 0)
    return (info + rest)[:size].ljust(size, b'\0')


def bmp_file(info, palette, body, offset=None):
    start = 14 + len(info) + len(palette)
    return struct.pack('<2sIHHI', b'BM', start + len(body), 0, 0, start if offset is None else offset) \
        + info + palette + body


def bmp_palette(table, entry=4):
    return b''.join(bytes((b, g, r, 99)[:entry]) for r, g, b in table)


def bmp_rows(rows, bits):
    """In the order that they are to have in the file."""
    packed = (pack(row, bits) if bits <= 8 else b''.join(v.to_bytes(bits // 8, 'little') for v in row)
              for row in rows)
    return b''.join(row + bytes(-len(row) % 4) for row in packed)


def bmp_runs(row, bits):
    """One row in runs, and where there are none one by one; without its end."""
    def halves(values):
        return pack(values, 4) if bits == 4 else bytes(values)
    out = b''
    while row:
        run = next((i for i, v in enumerate(row) if v != row[0]), len(row))
        run = min(run, 255)
        if run < 3 and len(row) >= 3:
            run = min(len(row), 3 + len(row) % 4)
            data = halves(row[:run])
            out += bytes((0, run)) + data + bytes(len(data) % 2)
        else:
            out += bytes((run,)) + halves([row[0]] * 2 if bits == 4 else row[:1])
        row = row[run:]
    return out


def bmp_indexed():
    for bits in (1, 2, 4, 8):
        rows = indexes(45, 11, 1 << bits)
        table = colors(1 << bits)
        short = table[:(1 << bits) * 2 // 3]
        body = bmp_rows(rows[::-1], bits)
        for size in (12, 16, 40, 52, 56, 64, 108, 124):
            yield 'i%d-h%d' % (bits, size), bmp_file(
                bmp_info(size, 45, 11, bits), bmp_palette(table, 3 if size == 12 else 4), body), painted(rows, table)
        yield 'i%d-short' % bits, bmp_file(bmp_info(40, 45, 11, bits, 0, len(short)), bmp_palette(short),
                                           body), painted(rows, short)
        yield 'i%d-down' % bits, bmp_file(bmp_info(40, 45, -11, bits), bmp_palette(table),
                                          bmp_rows(rows, bits)), painted(rows, table)
    info, palette = bmp_info(40, 45, 11, 8), bmp_palette(table)
    yield 'offset-0', bmp_file(info, palette, body, 0), painted(rows, table)
    yield 'offset-beyond', bmp_file(info, palette, body, 1 << 31), painted(rows, table)
    yield 'offset-in-palette', bmp_file(info, palette, body, 54), painted(rows, table)
    yield 'offset-gap', bmp_file(info, palette, bytes(99) + body, 54 + 1024 + 99), painted(rows, table)
    yield 'palette-cut', bmp_file(info, palette[:400], body), painted(rows, table[:100])
    yield 'palette-300', bmp_file(bmp_info(40, 45, 11, 8, 0, 300), palette + bytes(176), body), painted(rows, table)
    yield 'palette-wild', bmp_file(bmp_info(40, 45, 11, 8, 0, 0xffffffff), palette, body), painted(rows, table)
    yield 'no-padding', bmp_file(info, palette, body[:-3]), painted(rows, table)
    large = indexes(300, 250, 256)
    yield 'large', bmp_file(bmp_info(40, 300, 250, 8), palette, bmp_rows(large[::-1], 8)), painted(large, table)
    lost = [[(0, 0, 0, 0)] * 45] * 5
    yield 'partial-up', bmp_file(info, palette, body[:48 * 6 + 44]), lost + painted(rows, table)[5:]
    yield 'partial-down', bmp_file(bmp_info(40, 45, -11, 8), palette,
                                   bmp_rows(rows, 8)[:48 * 6 + 44]), painted(rows, table)[:6] + lost


def bmp_sampled():
    """Widths of the samples in the order of their masks: where each begins, and how long it is."""
    kinds = ((16, 0, 40, ((10, 5), (5, 5), (0, 5))), (16, 3, 40, ((11, 5), (5, 6), (0, 5))),
             (16, 3, 56, ((8, 4), (4, 4), (0, 4), (12, 4))), (16, 6, 40, ((10, 5), (5, 5), (0, 5), (15, 1))),
             (16, 3, 52, ((0, 2), (2, 3), (5, 1))), (24, 0, 12, ((16, 8), (8, 8), (0, 8))),
             (24, 0, 40, ((16, 8), (8, 8), (0, 8))), (24, 0, 64, ((16, 8), (8, 8), (0, 8))),
             (32, 0, 40, ((16, 8), (8, 8), (0, 8))), (32, 0, 124, ((16, 8), (8, 8), (0, 8))),
             (32, 3, 40, ((24, 8), (16, 8), (8, 8))), (32, 3, 108, ((16, 8), (8, 8), (0, 8), (24, 8))),
             (32, 3, 124, ((0, 8), (8, 8), (16, 8), (24, 8))), (32, 6, 40, ((0, 8), (8, 8), (16, 8), (24, 8))),
             (32, 3, 56, ((20, 10), (10, 10), (0, 10), (30, 2))))
    for bits, compression, size, spans in kinds:
        values = [[[sample(x, y, c, (1 << n) - 1) for c, (_, n) in enumerate(spans)] for x in range(37)]
                  for y in range(13)]
        junk = 0x5a000000 if bits == 32 and compression == 0 else 0
        rows = [[sum(v << at for v, (at, _) in zip(pixel, spans)) | junk for pixel in row] for row in values]
        shown = [[tuple((v * 255 * 2 + (1 << n) - 1) // ((1 << n) - 1) // 2 for v, (_, n) in zip(pixel, spans))
                  for pixel in row] for row in values]
        shown = [[(pixel + (255,))[:4] for pixel in row] for row in shown]
        masks = struct.pack('<%dI' % len(spans), *(((1 << n) - 1) << at for at, n in spans)) if compression else b''
        info = bmp_info(size, 37, 13, bits, compression, 0, masks)
        after = masks if size == 40 else b''
        yield 's%d-c%d-h%d' % (bits, compression, size), bmp_file(info, after, bmp_rows(rows[::-1], bits)), shown
    profile = bytes(range(200))
    body = bmp_rows(rows, 32)
    for name, at in (('inside', 124 + len(body)), ('outside', 125 + len(body)), ('far', 0xffffffff)):
        rest = masks + b'DEBM' + bytes(52) + struct.pack('<II', at, len(profile))
        info = bmp_info(124, 37, -13, 32, 3, 0, rest)
        yield 'profile-' + name, bmp_file(info, b'', body + profile), shown


def bmp_packed():
    for bits in (4, 8):
        rows = indexes(300, 9, 1 << bits)
        table = colors(1 << bits)
        palette = bmp_palette(table)
        info = bmp_info(40, 300, 9, bits, {8: 1, 4: 2}[bits])
        each = [bmp_runs(row, bits) for row in rows[::-1]]
        shown = painted(rows, table)
        name = 'rle%d' % bits
        body = b'\0\0'.join(each) + b'\0\1'
        yield name, bmp_file(info, palette, body), shown
        yield name + '-no-end', bmp_file(info, palette, body[:-2]), shown
        yield name + '-beyond', bmp_file(info, palette, b'\x09\x01\0\0'.join(each)), shown
        yield name + '-down', bmp_file(bmp_info(40, 300, -9, bits, {8: 1, 4: 2}[bits]), palette, body), shown[::-1]
        lost = [[(0, 0, 0, 0)] * 300] * 5
        cut = b'\0\0'.join(each[:4]) + b'\0\0' + each[4][:20]
        yield 'partial-' + name, bmp_file(info, palette, cut), lost + shown[5:]
        blank = [[0] * 300] * 5
        cut = b'\0\0'.join(each[:4]) + b'\0\1' + b'\xff\1'
        yield name + '-early', bmp_file(info, palette, cut), painted(blank, table) + shown[5:]
        steps = b'\x02\x33\0\2\3\0\x03\x33\0\2\1\3\x01\x33\0\0\x01\x33\0\1' if bits == 4 else \
            b'\x02\3\0\2\3\0\x03\3\0\2\1\3\x01\3\0\0\x01\3\0\1'
        moved = [[0] * 10 for _ in range(6)]
        for y, first, after in ((5, 0, 2), (5, 5, 8), (2, 9, 10), (1, 0, 1)):
            moved[y][first:after] = [3] * (after - first)
        yield name + '-move', bmp_file(bmp_info(40, 10, 6, bits, {8: 1, 4: 2}[bits]), palette,
                                       steps), painted(moved, table)
    pairs = [[1, 2, 1, 2, 1, 2, 1]]
    yield 'rle4-pairs', bmp_file(bmp_info(64, 7, 1, 4, 2), palette[:64], b'\x07\x12\0\1'), painted(pairs, table)


def bmp_pictures():
    for pictures in (bmp_indexed, bmp_sampled, bmp_packed):
        for name, data, shown in pictures():
            yield 'ok/%s.bmp' % name, data
            yield 'ref/%s.bmp.png' % name, reference(shown)
    body = bytes(4000)
    for name, info in (('too-large', bmp_info(40, 1 << 30, 1 << 30, 24)), ('corrupt-zero', bmp_info(40, 0, 4, 24)),
                       ('too-large-lowest', bmp_info(40, 4, -1 << 31, 1)), ('corrupt-flat', bmp_info(12, 4, 0, 8)),
                       ('corrupt-negative', bmp_info(40, -4, 4, 24)), ('corrupt-bits', bmp_info(40, 4, 4, 7)),
                       ('corrupt-bits-0', bmp_info(40, 4, 4, 0)), ('corrupt-rle', bmp_info(40, 4, 4, 4, 1)),
                       ('corrupt-compression', bmp_info(40, 4, 4, 8, 99)), ('corrupt-header', bmp_info(16, 4, 4, 8)[:9]),
                       ('unknown-format-jpeg', bmp_info(40, 4, 4, 0, 4)),
                       ('unknown-format-png', bmp_info(124, 4, 4, 0, 5)),
                       ('unknown-format-huffman', bmp_info(64, 4, 4, 1, 3)),
                       ('unknown-format-header', bmp_info(200, 4, 4, 8))):
        yield 'fail/%s.bmp' % name, bmp_file(info, b'', b'' if len(info) < 12 else body)
    yield 'fail/corrupt-header-size.bmp', bmp_file(struct.pack('<I', 8), b'', body)
    yield 'fail/corrupt-no-pixels.bmp', bmp_file(bmp_info(40, 45, 11, 8), bytes(1024), bytes(20))
    yield 'fail/corrupt-no-runs.bmp', bmp_file(bmp_info(40, 45, 11, 8, 1), bytes(1024), b'\5\1\0')


def noise():
    """Headers that say something, followed by nothing of it."""
    heads = ((b'RIFF\xff\xff\xff\x7fWEBPVP8 \xff\xff\xff\x7f', 'corrupt-webp-lossy'),
             (b'RIFF\x40\0\0\0WEBPVP8L', 'corrupt-webp-lossless'),
             (b'RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0', 'too-large-webp-animation'),
             (b'RIFF\0\0\0\0WEBP', 'corrupt-webp-empty'), (SIGNATURE, 'corrupt-png'),
             (b'GIF89a\x10\0\x10\0', 'corrupt-gif'), (b'BM' + bytes(12) + b'\x28\0\0\0', 'too-large-bmp'))
    for head, name in heads:
        yield 'fail/%s-noise' % name, head + bytes((i * i * 7 + 251) & 255 for i in range(200))


def main():
    folder, stamp = sys.argv[1:]
    for kind in ('ok', 'fail', 'ref', 'icons'):
        os.makedirs(os.path.join(folder, kind), exist_ok=True)
    count = 0
    for pictures in (png_pictures, png_bombs, png_damage, gif_pictures, bmp_pictures, netpbm.pictures,
                     ora.pictures, psd.pictures, qoi.pictures, icons.pictures, tga.pictures, noise):
        for name, data in pictures():
            with open(os.path.join(folder, name), 'wb') as out:
                out.write(data)
            count += 1
    with open(stamp, 'w') as out:
        out.write('%d\n' % count)


main()
