# SPDX-License-Identifier: LGPL-2.1-or-later
"""Photoshop files, small and large (PSB)."""
import struct

from drawing import reference, sample

WIDTH, HEIGHT = 37, 13
BITMAP, GREY, INDEXED, RGB, CMYK, INKS, DUOTONE, LAB = 0, 1, 2, 3, 4, 7, 8, 9


def resource(number, data, name=b'', signature=b'8BIM'):
    name = bytes([len(name)]) + name
    name += bytes(len(name) % 2)
    return signature + struct.pack('>H', number) + name + struct.pack('>I', len(data)) + data + bytes(len(data) % 2)


def layers(count, large=False):
    size = '>Q' if large else '>I'
    info = struct.pack('>h', count) + bytes(30)
    return struct.pack(size, len(info)) + info + struct.pack('>I', 0)


def deep_layers(count, key, large=False):
    """Those of 16 and 32 bits, in a block behind two of other kinds."""
    long_size = '>Q' if large else '>I'
    info = struct.pack('>h', count) + bytes(6)
    return (struct.pack(long_size, 0) + struct.pack('>I', 0) + b'8BIMPatt' + struct.pack('>I', 6) + bytes(8)
            + b'8BIM' + b'FMsk' + struct.pack(long_size, 12) + bytes(12)
            + b'8BIM' + key + struct.pack(long_size, len(info)) + info)


def plain(row):
    """PackBits that packs nothing, in pieces of 1 to 128."""
    out = b''
    while row:
        n = 1 + len(row) * 7 % 128
        out += bytes([len(row[:n]) - 1]) + row[:n]
        row = row[n:]
    return out


def runs(row):
    out = b''
    while row:
        same = next((i for i, v in enumerate(row[:128]) if v != row[0]), min(len(row), 128))
        if same > 1:
            out += bytes([257 - same, row[0]])
        else:
            out += b'\0' + row[:1]
        out += b'\x80' if len(row) % 5 == 0 else b''
        row = row[same:]
    return out


def body(planes, packer=None, large=False, counts=None):
    if packer is None:
        return b'\0\0' + b''.join(row for plane in planes for row in plane)
    packed = [packer(row) for plane in planes for row in plane]
    counts = counts or [len(row) for row in packed]
    return b'\0\1' + struct.pack('>%d%s' % (len(counts), 'I' if large else 'H'), *counts) + b''.join(packed)


def psd(mode, depth, pixels, channels, size=(WIDTH, HEIGHT), large=False, colors=b'', resources=b'', layer=b''):
    head = b'8BPS' + struct.pack('>H6xHIIHH', 1 + large, channels, size[1], size[0], depth, mode)
    return (head + struct.pack('>I', len(colors)) + colors + struct.pack('>I', len(resources)) + resources
            + struct.pack('>Q' if large else '>I', len(layer)) + layer + pixels)


def encode(value, depth):
    """value: 0 to 255."""
    if depth == 32:
        return struct.pack('>f', value / 255)
    return struct.pack('>H', value * 257) if depth == 16 else bytes([value])


def planes_of(rows, channels, depth=8):
    return [[b''.join(encode(pixel[c], depth) for pixel in row) for row in rows] for c in range(channels)]


def draw(coarse=1, size=(WIDTH, HEIGHT)):
    return [[tuple(sample(x // coarse, y // coarse, c, 255) for c in range(4)) for x in range(size[0])]
            for y in range(size[1])]


def solid(rows, channels=3):
    return [[pixel[:3] + (255,) if channels == 3 else pixel[:1] * 3 + (255,) for pixel in row] for row in rows]


def on_white(rows):
    return [[tuple(255 - (255 - v) * p[3] // 255 for v in p[:3]) + p[3:] for p in row] for row in rows]


def premultiplied(rows):
    return [[tuple(max(v + p[3] - 255, 0) for v in p[:3]) + p[3:] for p in row] for row in rows]


def by_depth():
    for coarse in (1, 9):
        rows = draw(coarse)
        for packer in (None, plain, runs):
            for large in (False, True):
                for depth in (8, 16):
                    tail = '%d-%s-%d-%s' % (depth, packer.__name__ if packer else 'raw', coarse, 'psb' if large else 'psd')
                    yield 'rgb-' + tail, psd(RGB, depth, body(planes_of(rows, 3, depth), packer, large), 3, large=large), \
                        solid(rows)
                    yield 'grey-' + tail, psd(GREY, depth, body(planes_of(rows, 1, depth), packer, large), 1, large=large), \
                        solid(rows, 1)
    rows = draw()
    yield 'duotone', psd(DUOTONE, 8, body(planes_of(rows, 1)), 1, colors=bytes(552)), solid(rows, 1)
    yield 'two-inks', psd(INKS, 8, body(planes_of(rows, 2), runs), 2), solid(rows, 1)
    extreme = [[struct.pack('>8f', float('nan'), -1, float('inf'), -float('inf'), 0, 1, 7, 1e-45)]] * 3
    values = [[(v,) * 3 + (255,) for v in (0, 0, 255, 0, 0, 255, 255, 0)]]
    yield 'floats', psd(RGB, 32, body(extreme, runs), 3, (8, 1)), values
    bits = [[(x * y + x) % 5 < 2 for x in range(WIDTH)] for y in range(HEIGHT)]
    stored = [[int(''.join(str(int(v)) for v in row).ljust(40, '1'), 2).to_bytes(5, 'big') for row in bits]]
    shown = [[(0, 0, 0, 255) if v else (255, 255, 255, 255) for v in row] for row in bits]
    yield 'bitmap', psd(BITMAP, 1, body(stored), 1), shown
    yield 'bitmap-runs', psd(BITMAP, 1, body(stored, runs), 1), shown


def inks():
    rows = draw()
    light = [[tuple((v * p[3] + 127) // 255 for v in p[:3]) + (255,) for p in row] for row in rows]
    no_black = solid(rows)
    for depth in (8, 16):
        for mode, name in ((CMYK, 'cmyk'), (INKS, 'inks')):
            yield '%s-%d' % (name, depth), psd(mode, depth, body(planes_of(rows, 4, depth), runs), 4), light
    yield 'inks-3', psd(INKS, 8, body(planes_of(rows, 3)), 3), no_black
    clear = [[(255, 255, 255, 255, 0)] * WIDTH] * 6 + [[p + (255,) for p in row] for row in rows[6:]]
    shown = [[(0, 0, 0, 0)] * WIDTH] * 6 + light[6:]
    yield 'cmyk-alpha', psd(CMYK, 8, body(planes_of(clear, 5), runs), 5, layer=layers(-1)), shown


def light_of(lab):
    """CIE L*a*b* (D50) to the light of sRGB's primaries, of 255."""
    fy = (lab[0] + 16) / 116
    f = (fy + lab[1] / 500, fy, fy - lab[2] / 200)
    xyz = [w * (v ** 3 if v > 6 / 29 else (v - 4 / 29) * 108 / 841) for v, w in zip(f, (0.96422, 1, 0.82521))]
    matrix = ((3.1338561, -1.6168667, -0.4906146), (-0.9787684, 1.9161415, 0.0334540), (0.0719453, -0.2289914, 1.4052427))
    return tuple(int(min(max(sum(m * v for m, v in zip(row, xyz)), 0), 1) * 255 + 0.5) for row in matrix)


def lab():
    steps = [[(x * 7 % 256, 128 + (x + y * 9) % 60 - 30, 128 + (y * 5 + x) % 70 - 35) for x in range(WIDTH)] for y in range(HEIGHT)]
    shown = [[light_of((p[0] / 2.55, p[1] - 128, p[2] - 128)) + (255,) for p in row] for row in steps]
    yield 'lab', psd(LAB, 8, body(planes_of(steps, 3), runs), 3), shown
    deep = [[[struct.pack('>%dH' % WIDTH, *(p[c] * 257 if c == 0 else p[c] << 8 for p in row)) for row in steps][y]
             for y in range(HEIGHT)] for c in range(3)]
    yield 'lab-16', psd(LAB, 16, body(deep, runs), 3), shown
    white = [[(255, 128, 128, 0)] * WIDTH] * 6 + [[p + (255,) for p in row] for row in steps[6:]]
    clear = [[(0, 0, 0, 0)] * WIDTH] * 6 + shown[6:]
    yield 'lab-alpha', psd(LAB, 8, body(planes_of(white, 4), runs), 4, layer=layers(-1)), clear


def indexed():
    table = [tuple(sample(i * 3, i, c, 255) for c in range(3)) + (255,) for i in range(256)]
    rows = [[(x * 7 + y * 5) % 256 for x in range(WIDTH)] for y in range(HEIGHT)]
    stored = [[bytes(row) for row in rows]]
    colors = bytes(entry[c] for c in range(3) for entry in table)
    shown = [[table[i] for i in row] for row in rows]
    holes = [[table[i] if i != 9 else table[i][:3] + (0,) for i in row] for row in rows]
    yield 'indexed', psd(INDEXED, 8, body(stored, runs), 1, colors=colors), shown
    for index, drawn in ((9, holes), (0xffff, shown)):
        notes = resource(1046, b'\0\xff') + resource(1047, struct.pack('>H', index))
        yield 'indexed-hole-%d' % index, psd(INDEXED, 8, body(stored), 1, colors=colors, resources=notes), drawn


def alpha():
    rows = draw()
    seen = on_white(rows)
    shown = premultiplied(seen)
    for large in (False, True):
        name = 'psb' if large else 'psd'
        for depth, layer in ((8, layers(-2, large)), (16, deep_layers(-1, b'Lr16', large)),
                             (16, deep_layers(3, b'Mt16', large))):
            data = psd(RGB, depth, body(planes_of(seen, 5 if depth == 8 else 4, depth) if depth == 16 else
                                        planes_of(seen, 4) + planes_of(rows, 1), runs, large),
                       4 if depth == 16 else 5, large=large, layer=layer)
            yield 'alpha-%d-%s-%s' % (depth, name, layer[-40:].count(b'Mt')), data, shown
    straight = [[tuple((v * p[3] + 127) // 255 for v in p[:3]) + p[3:] for p in row] for row in rows]
    for depth in (8, 16):
        yield 'alpha-straight-%d' % depth, psd(RGB, depth, body(planes_of(rows, 4, depth), runs), 4,
                                               layer=layers(-1)), straight
    # A saved selection is no transparency.
    yield 'selection', psd(RGB, 8, body(planes_of(rows, 4), runs), 4, layer=layers(2)), solid(rows)
    yield 'selection-alone', psd(RGB, 8, body(planes_of(rows, 4)), 4), solid(rows)
    grey = [[p[:1] * 3 + p[3:] for p in row] for row in shown]
    yield 'alpha-grey', psd(GREY, 8, body(planes_of([[(p[0], p[3]) for p in row] for row in seen], 2)), 2,
                            layer=layers(-1)), grey
    data = psd(RGB, 8, body(planes_of(seen, 4)), 4, layer=layers(-1))
    yield 'partial-no-alpha', data[:-WIDTH * HEIGHT], solid(seen)
    data = psd(RGB, 8, body(planes_of(seen, 3), runs), 3, layer=layers(-1))
    yield 'alpha-missing', data, solid(seen)


def odd():
    rows = draw(4)
    shown = solid(rows)
    notes = (resource(1005, bytes(16), b'resolution') + resource(1000, b'odd', b'x') + resource(77, b'', signature=b'MeSa')
             + resource(1057, struct.pack('>IB', 1, 1) + bytes(8)) + resource(1039, b'no profile'))
    yield 'resources', psd(RGB, 8, body(planes_of(rows, 3), runs), 3, resources=notes), shown
    wild = notes + b'8BIM\4\4\0\0\xff\xff\xff\xff'
    yield 'resources-wild', psd(RGB, 8, body(planes_of(rows, 3), runs), 3, resources=wild), shown
    yield 'layers-short', psd(RGB, 8, body(planes_of(rows, 3), runs), 3, layer=b'\xff\xff\xff\xff\x80'), shown
    blocks = bytes(8) + b'8BIMPatt\xff\xff\xff\xff'
    yield 'blocks-wild', psd(RGB, 8, body(planes_of(rows, 3), runs), 3, layer=blocks), shown
    blocks = bytes(12) + b'8BIMLr32' + b'\xff' * 8
    yield 'blocks-wild-large', psd(RGB, 8, body(planes_of(rows, 3), runs, True), 3, large=True, layer=blocks), shown
    many = bytes(8) + b'8BIMabcd\0\0\0\0' * 5000
    yield 'blocks-many', psd(RGB, 8, body(planes_of(rows, 3), runs), 3, layer=many), shown
    large = draw(3, (300, 260))
    yield 'large', psd(RGB, 8, body(planes_of(large, 3), runs), 3, (300, 260)), solid(large)
    wide = draw(1, (40000, 2))
    yield 'wide', psd(RGB, 8, body(planes_of(wide, 3), plain), 3, (40000, 2)), solid(wide)
    tail = body(planes_of(rows, 3), runs) + b'more than there should be'
    yield 'tail', psd(RGB, 8, tail, 3), shown


def lies():
    """Lengths that are not those of the rows, and rows that are not as long as they have to be."""
    rows = draw(9)
    planes = planes_of(rows, 3)
    packed = [runs(row) for plane in planes for row in plane]
    lost = [[(0, 0, 0, 0)] * WIDTH] * HEIGHT
    counts = [len(row) for row in packed]
    longer = [row + runs(b'\7' * 300) for row in packed]
    yield 'rows-long', psd(RGB, 8, b'\0\1' + struct.pack('>39H', *map(len, longer)) + b''.join(longer), 3), solid(rows)
    short = list(packed)
    short[5] = short[5][:len(short[5]) // 2]
    yield 'partial-row-short', psd(RGB, 8, b'\0\1' + struct.pack('>39H', *map(len, short)) + b''.join(short), 3), None
    empty = packed[:20] + [b''] + packed[21:]
    yield 'partial-row-empty', psd(RGB, 8, b'\0\1' + struct.pack('>39H', *map(len, empty)) + b''.join(empty), 3), None
    data = psd(RGB, 8, body(planes, runs), 3)
    at = len(data) - sum(counts[-5:]) + 1
    yield 'partial-cut', data[:at], solid(rows)[:8] + lost[8:]
    raw = psd(RGB, 8, body(planes), 3)
    yield 'partial-cut-raw', raw[:-WIDTH * 4 - 9], solid(rows)[:8] + lost[8:]
    counts[-3] = 0xffff
    yield 'partial-count', psd(RGB, 8, body(planes, runs, counts=counts), 3), solid(rows)[:11] + lost[11:]


def damage():
    rows = draw()
    good = psd(RGB, 8, body(planes_of(rows, 3), runs), 3)
    junk = bytes(500)
    yield 'corrupt-cut', good[:20]
    yield 'corrupt-no-sections', good[:26]
    yield 'corrupt-layers', good[:34] + b'\xff' * 4 + good[38:]
    yield 'corrupt-resources', good[:30] + b'\xff' * 4 + good[34:]
    yield 'corrupt-large-layers', psd(RGB, 8, b'', 3, large=True)[:34] + b'\xff' * 8 + junk
    yield 'corrupt-compression', psd(RGB, 8, b'\0\2' + junk, 3)
    yield 'corrupt-zero', psd(RGB, 8, junk, 3, (0, 9))
    yield 'corrupt-zero-height', psd(RGB, 8, junk, 3, (9, 0))
    yield 'corrupt-channels', psd(RGB, 8, junk, 2)
    yield 'corrupt-no-channels', psd(RGB, 8, junk, 0)
    yield 'corrupt-many-channels', psd(RGB, 8, junk, 57)
    yield 'corrupt-depth', psd(RGB, 24, junk, 3)
    yield 'corrupt-depth-0', psd(RGB, 0, junk, 3)
    yield 'corrupt-depth-1', psd(RGB, 1, junk, 3)
    yield 'corrupt-mode', psd(5, 8, junk, 3)
    yield 'corrupt-floats', psd(CMYK, 32, junk, 4)
    yield 'corrupt-no-colors', psd(INDEXED, 8, body([[bytes(WIDTH)] * HEIGHT]), 1)
    yield 'corrupt-cut-colors', psd(INDEXED, 8, b'', 1)[:26] + b'\0\0\3\0' + bytes(300)
    yield 'corrupt-no-plane', psd(RGB, 8, body(planes_of(rows, 2)), 3)
    yield 'corrupt-counts', psd(RGB, 8, b'\0\1' + bytes(20), 3)
    # A few bytes that say they were a large picture: rows of nothing.
    yield 'corrupt-bomb-empty', psd(GREY, 8, b'\0\1' + bytes(2 * 15000), 1, (20000, 15000))
    yield 'corrupt-bomb-counts', psd(GREY, 8, b'\0\1' + b'\xff' * 60000, 1, (10000, 30000))
    yield 'corrupt-bomb-raw', psd(RGB, 16, b'\0\0' + bytes(9000), 3, (17000, 17000))
    yield 'no-content-merged', psd(RGB, 8, body(planes_of(rows, 3)), 3, resources=resource(1057, b'\0\0\0\1\0'))
    yield 'too-large', psd(RGB, 8, junk, 3, (30000, 30000))
    yield 'too-large-psb', psd(RGB, 8, junk, 3, (0xffffffff, 0xffffffff), large=True)
    yield 'unknown-format-version', b'8BPS\0\3' + good[6:]


def pictures():
    for kind in (by_depth, inks, lab, indexed, alpha, odd, lies):
        for name, data, shown in kind():
            yield 'ok/%s.psd' % name, data
            if shown is not None:
                yield 'ref/%s.psd.png' % name, reference(shown)
    for name, data in damage():
        yield 'fail/%s.psd' % name, data
