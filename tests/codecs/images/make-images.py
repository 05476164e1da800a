#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the pictures of the codec suite: make-images.py FOLDER STAMP.

FOLDER/ok/ holds what must decode (partial-NAME: only in part), FOLDER/fail/ what must be refused; there a name
starts with the status that is expected. FOLDER/ref/NAME.png has the pixels of ok/NAME. Needs nothing but the
standard library."""
import os
import struct
import sys
import zlib

SIGNATURE = b'\x89PNG\r\n\x1a\n'
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


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


def gif_frame(left, top, width, height, interlace=0, palette=b'', bits=2):
    rows = list(range(height))
    if interlace:
        rows = [y for first, step in ((0, 8), (4, 8), (2, 4), (1, 2)) for y in range(first, height, step)]
    indexes = [(x // 3 + y // 2) % (1 << bits) for y in rows for x in range(width)]
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
    yield 'fail/too-large-canvas.gif', gif(65535, 65535, gif_frame(0, 0, 4, 4), four)
    yield 'fail/no-content-trailer.gif', gif(40, 30, b'', four)
    yield 'fail/no-content-outside.gif', gif(20, 10, gif_frame(20, 4, 40, 30), four)
    yield 'fail/no-content-no-frame-size.gif', gif(20, 10, gif_frame(0, 0, 0, 0), four)
    yield 'fail/corrupt-cut.gif', whole[:20]
    yield 'fail/corrupt-record.gif', gif(40, 30, b'\x77' * 20, four)


def noise():
    """Headers that say something, followed by nothing of it."""
    heads = ((b'RIFF\xff\xff\xff\x7fWEBPVP8 \xff\xff\xff\x7f', 'corrupt-webp-lossy'),
             (b'RIFF\x40\0\0\0WEBPVP8L', 'corrupt-webp-lossless'),
             (b'RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0', 'too-large-webp-animation'),
             (b'RIFF\0\0\0\0WEBP', 'corrupt-webp-empty'), (SIGNATURE, 'corrupt-png'),
             (b'GIF89a\x10\0\x10\0', 'corrupt-gif'))
    for head, name in heads:
        yield 'fail/%s-noise' % name, head + bytes((i * i * 7 + 251) & 255 for i in range(200))


def main():
    folder, stamp = sys.argv[1:]
    for kind in ('ok', 'fail', 'ref'):
        os.makedirs(os.path.join(folder, kind), exist_ok=True)
    count = 0
    for pictures in (png_pictures, png_bombs, png_damage, gif_pictures, noise):
        for name, data in pictures():
            with open(os.path.join(folder, name), 'wb') as out:
                out.write(data)
            count += 1
    with open(stamp, 'w') as out:
        out.write('%d\n' % count)


main()
