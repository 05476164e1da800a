# SPDX-License-Identifier: LGPL-2.1-or-later
"""PBM, PGM, PPM and PAM."""
import struct

from drawing import pack, reference, sample

WIDTH, HEIGHT = 37, 13


def draw(channels, most):
    return [[[sample(x, y, c, most) for c in range(channels)] for x in range(WIDTH)] for y in range(HEIGHT)]


def shown(rows, most, alpha=False):
    """RGBA of 8 bits."""
    def pixel(values):
        values = [(2 * 255 * min(v, most) + most) // (2 * most) for v in values]
        solid = values[:-1] if alpha else values
        return tuple((solid * 3)[:3] + [values[-1] if alpha else 255])
    return [[pixel(values) for values in row] for row in rows]


def bits(rows):
    return [[(0, 0, 0, 255) if v else (255, 255, 255, 255) for v, in row] for row in rows]


def packed(rows, most):
    values = [v for row in rows for pixel in row for v in pixel]
    return struct.pack('>%dH' % len(values), *values) if most > 255 else bytes(values)


def figures(rows, between=b' '):
    return b'\n'.join(between.join(b'%d' % v for pixel in row for v in pixel) for row in rows)


def head(kind, most=None, size=(WIDTH, HEIGHT)):
    return b'P%d\n%d %d\n' % (kind, *size) + (b'%d\n' % most if most else b'')


def pam(channels, most, tuple_type=None, size=(WIDTH, HEIGHT)):
    named = b'TUPLTYPE %s\n' % tuple_type if tuple_type else b''
    return b'P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\n%sENDHDR\n' % (*size, channels, most, named)


def plain():
    black = draw(1, 1)
    rows = b''.join(pack([v for v, in row], 1) for row in black)
    yield 'bits', head(4) + rows, bits(black)
    yield 'bits-figures', head(1) + figures(black), bits(black)
    yield 'bits-dense', head(1) + figures(black, b''), bits(black)
    for kind, channels in ((2, 1), (3, 3)):
        for most in (1, 7, 100, 255, 256, 1000, 65535):
            values = draw(channels, most)
            name = '%s-%d' % ({2: 'grey', 3: 'rgb'}[kind], most)
            yield name, head(kind + 3, most) + packed(values, most), shown(values, most)
            yield name + '-figures', head(kind, most) + figures(values) + b'\n', shown(values, most)


def pams():
    for channels, kind in ((1, b'GRAYSCALE'), (2, b'GRAYSCALE_ALPHA'), (3, b'RGB'), (4, b'RGB_ALPHA')):
        for most in (255, 65535, 9):
            values = draw(channels, most)
            result = shown(values, most, channels % 2 == 0)
            yield 'pam-%d-%d' % (channels, most), pam(channels, most, kind) + packed(values, most), result
    yield 'pam-untold', pam(4, 9) + packed(values, 9), result
    yield 'pam-other', pam(4, 9, b'SOMETHING') + packed(values, 9), result
    yield 'pam-comments', pam(4, 9).replace(b'DEPTH', b'# DEPTH 7\n\n \tFIELD\nDEPTH') + packed(values, 9), result
    for channels, kind in ((1, b'BLACKANDWHITE'), (2, b'BLACKANDWHITE_ALPHA')):
        values = draw(channels, 1)
        yield 'pam-bits-%d' % channels, pam(channels, 1, kind) + packed(values, 1), shown(values, 1, channels == 2)
    ink = draw(4, 255)
    paper = [[tuple((255 - v) * (255 - k) // 255 for v in (c, m, y)) + (255,) for c, m, y, k in row] for row in ink]
    yield 'pam-cmyk', pam(4, 255, b'CMYK') + packed(ink, 255), paper


def odd():
    grey = draw(1, 255)
    data, result = packed(grey, 255), shown(grey, 255)
    lost = [[(0, 0, 0, 0)] * WIDTH] * (HEIGHT - 6)
    yield 'comments', b'P5 # a\n#b\n\t37#c\n13 # 9\n\n255\n' + data, result
    yield 'one-line', b'P5 37 13 255 ' + data, result
    yield 'white-data', b'P5 37 13 255 ' + bytes([10] * 37 * 13), [[(10, 10, 10, 255)] * 37] * 13
    yield 'two-pictures', (head(5, 255) + data) * 2, result
    yield 'beyond', head(5, 100) + bytes([200] * 37 * 13), [[(255,) * 4] * 37] * 13
    yield 'beyond-figures', head(2, 100) + b'4000000000 ' * 37 * 13, [[(255,) * 4] * 37] * 13
    yield 'figures-comments', head(2, 255) + figures(grey).replace(b'\n', b' # 1 2 3\n'), result
    yield 'partial-cut', head(5, 255) + data[:37 * 6 + 36], result[:6] + lost
    yield 'partial-figures', head(2, 255) + figures(grey[:6]) + b' 1 2 3', result[:6] + lost
    yield 'partial-junk', head(2, 255) + figures(grey[:6]) + b' 1 x' + figures(grey), result[:6] + lost
    large = [[[sample(x, y, c, 255) for c in range(3)] for x in range(300)] for y in range(260)]
    yield 'large', head(6, 255, (300, 260)) + packed(large, 255), shown(large, 255)
    yield 'large-figures', head(3, 255, (300, 260)) + figures(large), shown(large, 255)


def pictures():
    for kind in (plain, pams, odd):
        for name, data, result in kind():
            yield 'ok/%s.pnm' % name, data
            yield 'ref/%s.pnm.png' % name, reference(result)
    huge = (1 << 32) - 1
    body = bytes(999)
    fail = {'corrupt-head': b'P5\n37', 'corrupt-zero': head(5, 255, (0, 4)) + body,
            'corrupt-most-0': b'P5\n4 4\n0\n' + body, 'corrupt-most': head(5, 65536, (4, 4)) + body,
            'corrupt-number': b'P6\n99999999999 4\n255\n' + body, 'corrupt-negative': b'P6\n-4 4\n255\n' + body,
            'too-large': head(6, 65535, (huge, huge)) + body, 'too-large-bits': head(4, None, (huge, 1)) + body,
            'too-large-figures': head(1, None, (1 << 20, 1 << 20)) + b'1' * 99,
            'corrupt-no-row': head(6, 255) + bytes(37), 'corrupt-no-figures': head(3, 255) + b'x',
            'corrupt-comment': b'P5\n#' + bytes(70000), 'corrupt-space': b'P5' + b' ' * 70000 + b'4 4 255\n' + body,
            'corrupt-pam': pam(3, 255)[:-4], 'corrupt-pam-most': pam(3, 1 << 16) + body,
            'corrupt-pam-number': pam(3, 255).replace(b'37', b'3x7') + body,
            'corrupt-pam-lines': b'P7\n' + b'#\n' * 2000 + pam(3, 255)[3:] + body,
            'corrupt-pam-depth-0': pam(0, 255) + body, 'unknown-format-pam-depth': pam(5, 255) + body,
            'too-large-pam': pam(4, 65535, None, (huge, huge)) + body,
            'unknown-format-word': b'P5x' + body, 'unknown-format-cut': b'P5'}
    for name, data in fail.items():
        yield 'fail/%s.pnm' % name, data
