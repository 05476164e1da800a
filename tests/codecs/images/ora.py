# SPDX-License-Identifier: LGPL-2.1-or-later
"""OpenRaster, Krita and OpenDocument files, with PNGs in them."""
import io
import struct
import zipfile
import zlib

from drawing import SIGNATURE, chunk, ihdr, reference, sample

ORA, KRITA = 'image/openraster', 'application/x-krita'
TEXT = 'application/vnd.oasis.opendocument.text'
MERGED, SMALL, PREVIEW = 'mergedimage.png', 'Thumbnails/thumbnail.png', 'preview.png'


def draw(width, height):
    return [[tuple(sample(x, y, c, 255) for c in range(3)) + (255 - x % 3 * 90,) for x in range(width)] for y in range(height)]


def plain(width, height, color):
    data = zlib.compress((b'\0' + bytes(color) * width) * height, 9)
    return SIGNATURE + ihdr(width, height, 8, 2) + chunk(b'IDAT', data) + chunk(b'IEND', b'')


def pack(mime, files, method=zipfile.ZIP_STORED, comment=b'', large=False, first='mimetype'):
    """files: pairs of name and content, or with a method of their own."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as archive:
        for name, data, *own in ([(first, mime.encode(), zipfile.ZIP_STORED)] if mime else []) + files:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = own[0] if own else method
            with archive.open(info, 'w', force_zip64=large) as file:
                file.write(data)
        archive.comment = comment
    return out.getvalue()


def streamed(mime, files):
    """With sizes behind the data, as by a pipe."""
    class Pipe(io.RawIOBase):
        data = b''

        def writable(self):
            return True

        def write(self, data):
            self.data += bytes(data)
            return len(data)
    pipe = Pipe()
    with zipfile.ZipFile(pipe, 'w') as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    # The first file is put before: the type is always written at once.
    head = pack(mime, [])
    head = head[:head.index(b'PK\1\2')]
    body = pipe.data
    end = body.rindex(b'PK\5\6')
    count, size, start = struct.unpack('<8xHxxII', body[end:end + 20])
    central = bytearray(body[start:start + size])
    at = 0
    while at < len(central):
        name, extra, note = struct.unpack('<HHH', central[at + 28:at + 34])
        offset, = struct.unpack('<I', central[at + 42:at + 46])
        central[at + 42:at + 46] = struct.pack('<I', offset + len(head))
        at += 46 + name + extra + note
    return head + body[:start] + bytes(central) + b'PK\5\6' + struct.pack('<HHHHIIH', 0, 0, count, count, size, len(head) + start, 0)


def end_64(data):
    """The same with a directory's end of 64 bits."""
    end = data.rindex(b'PK\5\6')
    count, size, start = struct.unpack('<8xHxxII', data[end:end + 20])
    record = b'PK\6\6' + struct.pack('<QHHIIQQQQ', 44, 45, 45, 0, 0, count, count, size, start)
    return (data[:end] + record + b'PK\6\7' + struct.pack('<IQI', 0, end, 1)
            + b'PK\5\6' + struct.pack('<HHHHIIH', 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0))


def altered(data, name, field, value):
    """One number of a file's entry in the directory: its offset, its format."""
    at = data.index(name.encode(), data.index(b'PK\1\2')) - 46
    return data[:at + field[0]] + struct.pack(field[1], value) + data[at + field[0] + struct.calcsize(field[1]):]


FLAGS, METHOD, PACKED, SIZE, OFFSET = (8, '<H'), (10, '<H'), (20, '<I'), (24, '<I'), (42, '<I')
DEFLATED = zipfile.ZIP_DEFLATED


def good():
    rows = draw(37, 29)
    picture = reference(rows)
    deep = draw(300, 260)
    files = [('stack.xml', b'<image/>' * 99, DEFLATED), ('data/layer0.png', plain(9, 9, (1, 2, 3))), (MERGED, picture)]
    stored = pack(ORA, files)
    yield 'stored', stored, rows
    yield 'deflated', pack(ORA, files, DEFLATED), rows
    yield 'deflated-large', pack(ORA, [(MERGED, reference(deep))], DEFLATED), deep
    yield 'stored-large', pack(ORA, [(MERGED, reference(deep))]), deep
    yield 'new-line', pack(ORA + '\n', files), rows
    yield 'comment', pack(ORA, files, comment=b'PK\5\6' + b'c' * 60000), rows
    yield 'many', pack(ORA, [('data/%d.png' % i, b'x' * 9) for i in range(3000)] + files), rows
    yield 'streamed', streamed(ORA, [('stack.xml', b'<image/>'), (MERGED, picture)]), rows
    yield 'wide-numbers', pack(ORA, files, large=True), rows
    yield 'wide-end', end_64(stored), rows
    yield 'krita', pack(KRITA, [('maindoc.xml', b'<DOC/>', DEFLATED), (PREVIEW, plain(3, 2, (1, 2, 3))), (MERGED, picture)]), rows
    yield 'krita-deflated', pack(KRITA, [(PREVIEW, plain(3, 2, (1, 2, 3))), (MERGED, picture)], DEFLATED), rows
    yield 'krita-preview', pack(KRITA, [(PREVIEW, picture)]), rows
    yield 'krita-broken', pack(KRITA, [(MERGED, b'\x89PNG\r\n\x1a\n'), (PREVIEW, picture)]), rows
    yield 'small-only', pack(ORA, [(SMALL, picture)]), rows
    yield 'text', pack(TEXT, [('content.xml', b'<text/>', DEFLATED), (SMALL, picture, DEFLATED)]), rows
    yield 'text-stored', pack(TEXT + '-template', [(SMALL, picture)]), rows
    yield 'size-short', altered(pack(ORA, files, DEFLATED), MERGED, SIZE, len(picture) - 12), rows
    yield 'size-long', altered(pack(ORA, files, DEFLATED), MERGED, SIZE, 1 << 28), rows
    half = altered(pack(ORA, [(MERGED, picture)], DEFLATED), MERGED, SIZE, len(picture) // 2)
    yield 'partial-size', half, None
    cut = bytearray(pack(ORA, [(MERGED, reference(deep))], DEFLATED))
    at = len(cut) // 2
    cut[at:at + 40] = b'\xff' * 40
    yield 'partial-damaged', bytes(cut), None


def bad():
    picture = reference(draw(37, 29))
    files = [(MERGED, picture)]
    stored = pack(ORA, files)
    yield 'corrupt-no-end', stored[:-22]
    yield 'corrupt-only-type', stored[:60]
    yield 'corrupt-start', stored[:-6] + b'\xff\xff\xff\x7f' + stored[-2:]
    yield 'corrupt-wide-end', end_64(stored)[:-42] + bytes(20) + end_64(stored)[-22:]
    yield 'corrupt-no-png', pack(ORA, [(MERGED, b'GIF89a' + bytes(50))])
    yield 'corrupt-deflate', altered(stored, MERGED, METHOD, 8)
    yield 'no-content-empty', pack(ORA, [])
    yield 'no-content-other', pack(ORA, [('data/mergedimage.png', picture), ('mergedimage.pn', picture)])
    yield 'no-content-text', pack(TEXT, [('content.xml', b'<text/>')])
    yield 'no-content-encrypted', altered(stored, MERGED, FLAGS, 1)
    yield 'no-content-method', altered(stored, MERGED, METHOD, 12)
    yield 'no-content-sizes', altered(stored, MERGED, SIZE, len(picture) - 1)
    yield 'no-content-beyond', altered(stored, MERGED, OFFSET, 0x7fffffff)
    yield 'no-content-not-local', altered(stored, MERGED, OFFSET, 5)
    yield 'no-content-packed', altered(pack(ORA, files, DEFLATED), MERGED, PACKED, 0x7fffffff)
    # A picture within itself, and what makes much of little.
    yield 'corrupt-nested', pack(ORA, [(MERGED, stored)])
    yield 'corrupt-nested-deflated', pack(ORA, [(MERGED, stored)], DEFLATED)
    yield 'corrupt-itself', altered(stored, MERGED, OFFSET, 0)
    yield 'too-large-said', altered(pack(ORA, files, DEFLATED), MERGED, SIZE, 0xf0000000)
    bomb = SIGNATURE + ihdr(37, 29, 8, 2) + chunk(b'teSt', bytes(60_000_000)) + chunk(b'IEND', b'')
    yield 'corrupt-bomb-chunk', pack(ORA, [(MERGED, bomb)], DEFLATED)
    huge = SIGNATURE + ihdr(100000, 100000, 8, 2) + chunk(b'IDAT', bytes(100))
    yield 'too-large-picture', pack(ORA, [(MERGED, huge)])
    directory = stored[stored.index(b'PK\1\2'):-22]
    entries = directory[:46] + b'mimetypf' + directory[54:54]
    head = stored[:stored.index(b'PK\1\2')]
    many = entries * 90000
    yield 'no-content-bomb-entries', head + many + b'PK\5\6' + struct.pack('<HHHHIIH', 0, 0, 9, 9, len(many), len(head), 0)
    yield 'unknown-format-book', pack('application/epub+zip', files)
    yield 'unknown-format-zip', pack('', files)
    yield 'unknown-format-long-type', pack(ORA + 'r' * 300, files)
    yield 'unknown-format-deflated-type', pack('', [('mimetype', ORA.encode() * 9, DEFLATED)] + files)


def sizes():
    """For test-icons.c: red is the whole, green half of it, blue another shape."""
    red, green, blue = (220, 30, 20), (30, 200, 60), (20, 40, 230)
    whole, half = plain(256, 128, red), plain(128, 64, green)
    yield 'sizes.ora', pack(ORA, [(SMALL, half), (MERGED, whole)])
    yield 'deflated.ora', pack(KRITA, [(PREVIEW, half), (MERGED, whole)], DEFLATED)
    yield 'rounded.ora', pack(ORA, [(MERGED, plain(256, 85, red)), (SMALL, plain(128, 42, green))])
    yield 'shapes.ora', pack(ORA, [(MERGED, whole), (SMALL, plain(128, 128, blue))])
    yield 'broken.ora', pack(ORA, [(MERGED, whole), (SMALL, half[:40])])


def pictures():
    for name, data, shown in good():
        yield 'ok/%s.ora' % name, data
        if shown is not None:
            yield 'ref/%s.ora.png' % name, reference(shown)
    for name, data in bad():
        yield 'fail/%s.ora' % name, data
    for name, data in sizes():
        yield 'icons/' + name, data
