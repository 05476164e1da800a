# SPDX-License-Identifier: LGPL-2.1-or-later
"""Icons and cursors of Windows, icons of Mac OS, and QuickTime images."""
import struct

from drawing import SIGNATURE, ihdr, pack, reference, sample

BLUE, GREEN = (20, 40, 230, 255), (30, 200, 60, 255)
RED, WHITE = (220, 30, 20, 255), (255, 255, 255, 255)


def draw(width, height, alpha=False):
    return [[tuple(sample(x, y, c, 255) for c in range(3)) + (sample(x, y, 3, 255) if alpha else 255,)
             for x in range(width)] for y in range(height)]


def plain(width, height, color):
    return [[color] * width for _ in range(height)]


def huge_png():
    return SIGNATURE + ihdr(0x7f7f7f7f, 0x7f7f7f7f, 8, 6) + reference(draw(8, 6))[33:]


def holes(width, height):
    return [[(x * y + x) % 5 == 0 for x in range(width)] for y in range(height)]


def masked(rows, mask):
    return [[pixel[:3] + (0 if hole else 255,) for pixel, hole in zip(*pair)] for pair in zip(rows, mask)]


def padded(row):
    return row + bytes(-len(row) % 4)


def mask_rows(mask):
    return b''.join(padded(pack([int(hole) for hole in row], 1)) for row in mask[::-1])


def info(width, height, bits, size=40, compression=0, colors=0):
    head = struct.pack('<IIIHHIIIIII', size, width, height * 2, 1, bits, compression, 0, 0, 0, colors, 0)
    return head + bytes(size - len(head))


def dib(rows, bits, mask=None, size=40, compression=0):
    """Pixels of 16 bits and more; without a mask there is none."""
    def stored(r, g, b, a):
        if bits == 16:
            return struct.pack('<H', r >> 3 << 10 | g >> 3 << 5 | b >> 3)
        return bytes((b, g, r, a)[:bits // 8])
    body = b''.join(padded(b''.join(stored(*pixel) for pixel in row)) for row in rows[::-1])
    fields = struct.pack('<III', 0xff0000, 0xff00, 0xff) if compression and size == 40 else b''
    head = info(len(rows[0]), len(rows), bits, size, compression)
    return head + fields + body + (mask_rows(mask) if mask else b'')


def indexed(width, height, bits, mask, colors=0, table=None):
    """The DIB and what it shows."""
    rows = [[(x * 3 + y * 5 + x * y // 4) % (1 << bits) for x in range(width)] for y in range(height)]
    table = table or [((i * 7 + 40) & 255, i * 101 & 255, (i * 29 + 9) & 255, 255) for i in range(colors or 1 << bits)]
    body = b''.join(padded(pack(row, bits)) for row in rows[::-1])
    palette = b''.join(bytes((b, g, r, 77)) for r, g, b, _ in table)
    shown = [[table[i] if i < len(table) else (0, 0, 0, 255) for i in row] for row in rows]
    return info(width, height, bits, colors=colors) + palette + body + mask_rows(mask), masked(shown, mask)


def ico(pictures, kind=1, lengths=None, offsets=None):
    at = 6 + 16 * len(pictures)
    table, body = struct.pack('<HHH', 0, kind, len(pictures)), b''
    for i, data in enumerate(pictures):
        length = len(data) if lengths is None else lengths
        offset = at + len(body) if offsets is None or offsets[i] is None else offsets[i]
        table += struct.pack('<BBBBHHII', 16, 16, 0, 0, 1, 32, length & 0xffffffff, offset & 0xffffffff)
        body += data
    return table + body


def ani(data, before=b''):
    def chunk(name, content):
        return name + struct.pack('<I', len(content)) + content + bytes(len(content) % 2)
    head = chunk(b'anih', struct.pack('<9I', 36, 2, 2, 0, 0, 0, 0, 5, 1))
    frames = chunk(b'LIST', b'fram' + chunk(b'icon', data) * 2)
    return chunk(b'RIFF', b'ACON' + before + chunk(b'LIST', b'INFO' + chunk(b'INAM', b'odd')) + head + frames)


def depths():
    mask = holes(19, 11)
    for bits in (1, 4, 8):
        data, shown = indexed(19, 11, bits, mask)
        yield 'depth-%d' % bits, ico([data]), shown
    for bits in (16, 24):
        rows = draw(19, 11)
        five = [[tuple((v >> 3) * 255 * 2 // 31 + 1 >> 1 for v in pixel[:3]) for pixel in row] for row in rows]
        yield 'depth-%d' % bits, ico([dib(rows, bits, mask)]), masked(five if bits == 16 else rows, mask)
    rows = draw(19, 11, True)
    bare = [[pixel[:3] + (0,) for pixel in row] for row in rows]
    yield 'depth-32', ico([dib(rows, 32, mask)]), rows
    yield 'fields', ico([dib(rows, 32, mask, 40, 3)]), rows
    yield 'header-108', ico([dib(rows, 32, mask, 108)]), rows
    yield 'no-alpha', ico([dib(bare, 32, mask)]), masked(rows, mask)
    yield 'cursor', ico([dib(rows, 32, mask)], 2), rows
    yield 'animated', ani(ico([dib(rows, 32, mask)], 2)), rows
    yield 'png', ico([reference(rows)]), rows
    solid = [[pixel[:3] + (255,) for pixel in row] for row in rows]
    yield 'no-mask', ico([dib(rows, 24)]), solid
    yield 'mask-cut', ico([dib(rows, 24, mask)[:-4 * 5]]), solid[:5] + masked(rows, mask)[5:]
    data, shown = indexed(19, 11, 8, mask, 100)
    yield 'palette-short', ico([data]), shown
    data, shown = indexed(19, 11, 4, mask, 30)
    yield 'palette-long', ico([data]), shown
    large = draw(300, 260, True)
    yield 'large', ico([dib(large, 32)]), large


def tables():
    rows, small = draw(40, 30), dib(draw(8, 6), 24, holes(8, 6))
    data = dib(rows, 24, holes(40, 30))
    shown = masked(rows, holes(40, 30))
    better = draw(40, 30, True)
    end = 1 << 31
    yield 'sizes', ico([small, data, small]), shown
    yield 'deepest', ico([data, dib(better, 32), data]), better
    yield 'lengths-0', ico([small, data], lengths=0), shown
    yield 'lengths-wild', ico([small, data], lengths=-1), shown
    yield 'beyond', ico([data, small, small], offsets=(None, end, -1)), shown
    yield 'itself', ico([data] + [small] * 3, offsets=(None, 0, 6, 22)), shown
    yield 'overlapping', ico([data, b'', b''], offsets=(6 + 48, 6 + 48, 6 + 49)), shown
    yield 'many', ico([data] + [b''] * 4000, offsets=[None] + [6 + 16 * 4001] * 4000), shown
    yield 'many-more', ico([data] + [b''] * 65534, offsets=[None] + [end] * 65534), shown
    broken = reference(draw(64, 64))
    yield 'broken-better', ico([small, data, broken[:30]]), shown
    yield 'too-large-better', ico([data, info(1 << 30, 1 << 20, 32), huge_png()]), shown
    lost = [[(0, 0, 0, 0)] * 40] * 20
    yield 'partial-cut', ico([data[:40 + 120 * 10 + 50]]), lost + [[p[:3] + (255,) for p in r] for r in rows[20:]]
    yield 'animated-more', ani(ico([data], 1), b'junk\3\0\0\0\0\0\0\0'), shown


def icon_damage():
    good = ico([dib(draw(8, 6), 24)])
    body = bytes(500)
    yield 'unknown-format-no-entries', ico([]) + body
    yield 'unknown-format-no-cursors', ico([], 2) + body
    yield 'corrupt-cut', good[:5]
    yield 'corrupt-beyond', ico([b''] * 9, offsets=[-1] * 9) + body
    yield 'corrupt-zero', ico([info(0, 8, 24) + body, info(8, 0, 24) + body])
    yield 'corrupt-negative', ico([info(8, -8 & 0x3fffffff, 24)[:8] + b'\xf0\xff\xff\xff' + info(8, 8, 24)[12:] + body])
    yield 'corrupt-depth', ico([info(8, 8, 7) + body, info(8, 8, 0) + body, info(8, 8, 64) + body])
    yield 'corrupt-packed', ico([info(8, 8, 8, compression=1) + body])
    yield 'corrupt-header', ico([info(8, 8, 8)[:30]])
    yield 'corrupt-header-size', ico([b'\xff\xff' + info(8, 8, 8)[2:] + body])
    yield 'corrupt-colors', ico([info(8, 8, 8, colors=1 << 31) + body])
    yield 'corrupt-png', ico([reference(draw(8, 6))[:40]])
    yield 'corrupt-no-row', ico([info(8, 8, 24) + bytes(10)])
    yield 'too-large', ico([info(1 << 30, 1 << 29, 32) + body])
    yield 'too-large-bits', ico([info(0x7fffffff, 0x3fffffff, 1) + body])
    yield 'too-large-png', ico([huge_png()])
    yield 'corrupt-no-frame', b'RIFF\x40\0\0\0ACONanih\4\0\0\0' + body[:60]
    yield 'corrupt-frames', b'RIFF\xff\xff\xff\xffACON' + b'LIST\4\0\0\0fram' * 2000
    yield 'corrupt-chunks', b'RIFF\xff\xff\xff\xffACON' + b'junk\0\0\0\0' * 2000
    yield 'corrupt-far', b'RIFF\xff\xff\xff\xffACONjunk\xff\xff\xff\xff' + body
    yield 'corrupt-no-table', b'RIFF\xff\xff\xff\xffACONLIST\xff\0\0\0framicon\xff\0\0\0' + body


def runs(plane):
    out, at = b'', 0
    while at < len(plane):
        n = 1
        while at + n < len(plane) and n < 130 and plane[at + n] == plane[at]:
            n += 1
        if n >= 3:
            out += bytes((n + 125, plane[at]))
        else:
            n = min(1 + at % 128, len(plane) - at)
            out += bytes((n - 1,)) + plane[at:at + n]
        at += n
    return out


def planes(rows, channels):
    return b''.join(runs(bytes(pixel[c] for row in rows for pixel in row)) for c in channels)


def icns(*chunks, length=None):
    body = b''.join(name + struct.pack('>I', 8 + len(data)) + data for name, data in chunks)
    return b'icns' + struct.pack('>I', 8 + len(body) if length is None else length) + body


def mac():
    flat = {side: [[(v & 0xf0, 9, 200, 255) if x < side // 2 else (v, g, b, 255) for x, (v, g, b, _) in enumerate(row)]
                   for row in draw(side, side)] for side in (16, 32, 48, 128)}
    alpha = draw(128, 128, True)
    for name, mask, side in ((b'is32', b's8mk', 16), (b'il32', b'l8mk', 32), (b'ih32', b'h8mk', 48), (b'it32', b't8mk', 128)):
        rows = flat[side]
        levels = [[alpha[y][x][3] for x in range(side)] for y in range(side)]
        data = bytes(4 if side == 128 else 0) + planes(rows, (0, 1, 2))
        shown = [[pixel[:3] + (level,) for pixel, level in zip(*pair)] for pair in zip(rows, levels)]
        packed = bytes(level for row in levels for level in row)
        yield name.decode(), icns((name, data), (mask, packed)), shown
        yield name.decode() + '-mask-first', icns((b'TOC ', bytes(16)), (mask, packed), (name, data)), shown
        yield name.decode() + '-no-mask', icns((name, data)), rows
    for name, side in ((b'ic04', 16), (b'icsb', 18), (b'ic05', 32), (b'icsB', 36), (b'SB24', 48)):
        rows = draw(side, side, True)
        yield name.decode(), icns((name, b'ARGB' + planes(rows, (3, 0, 1, 2)))), rows
    rows, small = draw(64, 64, True), (b'is32', planes(flat[16], (0, 1, 2)))
    png = (b'ic07', reference(rows))
    yield 'png', icns(small, png), rows
    yield 'png-small', icns((b'icp4', reference(draw(16, 16, True)))), draw(16, 16, True)
    yield 'jpeg-2000', icns(small, (b'ic08', b'\0\0\0\x0cjP  \r\n\x87\n' + bytes(99)), (b'icp5', b'\xff\x4f\xff\x51' + bytes(99))), flat[16]
    yield 'old-kinds', icns((b'ICN#', bytes(256)), (b'icl8', bytes(1024)), small), flat[16]
    yield 'length-0', icns(small, png, length=0), rows
    yield 'length-wild', icns(small, png, length=0xffffffff), rows
    yield 'chunk-beyond', icns(small, png)[:-4] + b'ic99\xff\xff\xff\xff' + bytes(40), rows
    yield 'chunk-0', icns(png, small) + bytes(99), rows
    yield 'broken-better', icns(png, (b'ic08', reference(draw(99, 99))[:40])), rows
    yield 'many', icns(*((b'is32', b''),) * 900, png), rows
    yield 'mask-cut', icns((b'is32', planes(flat[16], (0, 1, 2))), (b's8mk', bytes(16 * 3))), \
        [[p[:3] + (0,) for p in row] for row in flat[16][:3]] + flat[16][3:]


def mac_damage():
    png = reference(draw(32, 32))
    yield 'no-content-empty', icns()
    yield 'no-content-old', icns((b'ICN#', bytes(256)))
    yield 'no-content-jpeg-2000', icns((b'ic08', b'\0\0\0\x0cjP  \r\n\x87\n' + bytes(99)))
    yield 'no-content-chunks', icns(*((b'junk', b''),) * 3000, (b'ic07', png))
    yield 'no-content-itself', icns(length=8) + b'icns\0\0\0\0'
    yield 'corrupt-planes', icns((b'il32', planes(draw(32, 32), (0, 1))))
    yield 'corrupt-run', icns((b'il32', b'\xff\0' * 23 + b'\xff'))
    yield 'corrupt-literals', icns((b'il32', b'\x7f' + bytes(60)))
    yield 'corrupt-short', icns((b'it32', bytes(760)))
    yield 'no-content-short', icns((b'it32', b'\0\0'))
    yield 'corrupt-png', icns((b'ic07', png[:60]))
    yield 'too-large', icns((b'ic07', huge_png()))


def atom(name, data, size=None):
    return struct.pack('>I', 8 + len(data) if size is None else size) + name + data


def quicktime():
    rows = draw(40, 30, True)
    png, icon = reference(rows), ico([dib(rows, 32)])
    told = atom(b'idsc', bytes(86))
    yield 'png', told + atom(b'idat', png), rows
    yield 'data-first', atom(b'idat', png) + told, rows
    yield 'to-the-end', told + atom(b'idat', png, 0), rows
    yield 'long', told + struct.pack('>I4sQ', 1, b'idat', 16 + len(png)) + png, rows
    yield 'beyond', told + atom(b'idat', png, 0x7fffffff), rows
    yield 'icon', told + atom(b'idat', icon), rows
    yield 'others', told + atom(b'free', b'') * 50 + atom(b'idat', png), rows


def quicktime_damage():
    png = reference(draw(40, 30))
    told = atom(b'idsc', bytes(86))
    inner = atom(b'idat', png)
    yield 'no-content', told
    yield 'no-content-size', told + atom(b'free', b'', 7) + inner
    yield 'no-content-many', told + atom(b'free', b'') * 500 + inner
    yield 'no-content-far', told + struct.pack('>I4sQ', 1, b'free', (1 << 64) - 1) + inner
    yield 'no-content-size-0', told + atom(b'free', inner, 0)
    yield 'unknown-format', told + atom(b'idat', b'raw' * 99)
    yield 'unknown-format-itself', atom(b'idat', inner)
    yield 'unknown-format-empty', told + atom(b'idat', b'')
    yield 'corrupt', told + atom(b'idat', png[:30])
    yield 'corrupt-cut-atom', told + atom(b'idat', png, 40)


def sizes():
    """One colour a size, to tell which was taken."""
    colors = {256: RED, 128: GREEN, 48: BLUE, 16: WHITE}
    yield 'icons/sizes.ico', ico([reference(plain(s, s, c)) if s == 256 else dib(plain(s, s, c), 24, plain(s, s, 0))
                                  for s, c in list(colors.items())[::-1]])
    yield 'icons/shapes.ico', ico([dib(plain(200, 140, BLUE), 24), dib(plain(256, 256, RED), 24),
                                   dib(plain(160, 200, GREEN), 24)])
    yield 'icons/broken.ico', ico([dib(plain(256, 256, RED), 24), reference(plain(128, 128, GREEN))[:30]])
    large = plain(128, 128, GREEN)
    small = plain(48, 48, BLUE)
    yield 'icons/sizes.icns', icns((b'ic08', reference(plain(256, 256, RED))), (b'ih32', planes(small, (0, 1, 2))),
                                   (b'it32', bytes(4) + planes(large, (0, 1, 2))),
                                   (b'is32', planes(plain(16, 16, WHITE), (0, 1, 2))))


def pictures():
    for suffix, good, bad in (('ico', (depths, tables), icon_damage), ('icns', (mac,), mac_damage),
                              ('qtif', (quicktime,), quicktime_damage)):
        for kind in good:
            for name, data, shown in kind():
                yield 'ok/%s.%s' % (name, suffix), data
                yield 'ref/%s.%s.png' % (name, suffix), reference(shown)
        for name, data in bad():
            yield 'fail/%s.%s' % (name, suffix), data
    yield from sizes()
