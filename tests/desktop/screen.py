# SPDX-License-Identifier: LGPL-2.1-or-later
"""A screen without a monitor, what can be seen on it, and pictures that are easily told apart there."""
import collections
import os
import shutil
import struct
import subprocess
import time
import zlib

SIZE = (400, 300)
# Scaling, frames and video codecs shift colours a little.
TOLERANCE = 14
# A thumbnail of 48 pixels that is partly hidden still has more.
ENOUGH = 300
PATIENCE = 60


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def png(colour):
    """A picture of one colour; all are of the same length, so that one can stand for another."""
    width, height = SIZE
    rows = (b'\0' + bytes(colour) * width) * height
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows, 0)) + chunk(b'IEND', b''))


def pdf(colour):
    """One page of one colour."""
    red, green, blue = (value / 255 for value in colour)
    page = f'{red:.4f} {green:.4f} {blue:.4f} rg 0 0 400 300 re f'
    bodies = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>',
              '<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Resources<<>>/Contents 4 0 R>>',
              f'<</Length {len(page)}>>stream\n{page}\nendstream']
    text, offsets = '%PDF-1.4\n', []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(text))
        text += f'{number} 0 obj{body}endobj\n'
    table = ''.join(f'{offset:010} 00000 n \n' for offset in offsets)
    return (f'{text}xref\n0 5\n0000000000 65535 f \n{table}trailer<</Size 5/Root 1 0 R>>\n'
            f'startxref\n{len(text)}\n%%EOF\n').encode()


def video(path, colour):
    """Ten seconds of one colour; False where ffmpeg is not there or does not."""
    if not shutil.which('ffmpeg'):
        return False
    source = 'color=c=#{:02x}{:02x}{:02x}:s=400x300:r=5:d=10'.format(*colour)
    run = subprocess.run(['ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-c:v', 'mjpeg', '-q:v', '2',
                          '-pix_fmt', 'yuvj444p', path], stdin=subprocess.DEVNULL, check=False)
    return run.returncode == 0


def repaint(path, colour):
    """Other pixels for a file, which is of the same size, time and inode as before: whoever shows the old
    ones has not decoded it again."""
    info = os.stat(path)
    with open(path, 'r+b') as file:
        file.write(png(colour))
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


def wait_for(condition, seconds=PATIENCE):
    """What condition returns as soon as that is true, or at last."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


class Screen:
    """An X server of our own."""

    def __init__(self):
        read, write = os.pipe()
        self.server = subprocess.Popen(['Xvfb', '-displayfd', str(write), '-screen', '0', '1000x700x24', '-nolisten', 'tcp'],
                                       pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as file:
            self.name = ':' + file.readline().strip()
        if self.name == ':':
            raise RuntimeError('Xvfb did not start')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()

    def shoot(self, path):
        subprocess.run(['import', '-display', self.name, '-window', 'root', path], check=True, capture_output=True)

    def colours(self, path):
        """How often each colour is on the screen now; the picture of it stays at path."""
        self.shoot(path)
        pixels = subprocess.run(['convert', path, '-depth', '8', 'rgb:-'], check=True, capture_output=True).stdout
        return collections.Counter(struct.iter_unpack('3B', pixels))

    def shows(self, colour, path):
        """Whether enough of colour is on the screen now."""
        count = sum(number for seen, number in self.colours(path).items()
                    if all(abs(a - b) <= TOLERANCE for a, b in zip(seen, colour)))
        return count >= ENOUGH
