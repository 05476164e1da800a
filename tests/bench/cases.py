# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pictures of the benchmarks' cases: made, not brought, the same bytes on every machine with the same encoders."""
import collections
import os
import pathlib
import struct
import subprocess

import harness

FOLDER = os.path.join(harness.KEPT, 'cases')

Case = collections.namedtuple('Case', 'title name width height encoder')

JPEG = ['cjpeg', '-quality', '92', '-sample', '2x2']
PROGRESSIVE = JPEG + ['-progressive']
PNG = ['convert', 'ppm:-', 'png:-']
WEBP = ['cwebp', '-quiet', '-q', '85', '-o', '-', '--', '-']
GIF = ['convert', 'ppm:-', 'gif:-']

CASES = (
    Case('JPEG 12 MP', 'jpeg-12mp.jpg', 4000, 3000, JPEG),
    Case('JPEG 24 MP', 'jpeg-24mp.jpg', 6000, 4000, JPEG),
    Case('JPEG 48 MP', 'jpeg-48mp.jpg', 8000, 6000, JPEG),
    Case('JPEG 12 MP, EXIF orientation 6', 'jpeg-12mp-turned.jpg', 4000, 3000, JPEG),
    Case('JPEG 12 MP, progressive', 'jpeg-12mp-progressive.jpg', 4000, 3000, PROGRESSIVE),
    Case('PNG 3000×2000', 'png-6mp.png', 3000, 2000, PNG),
    Case('WebP 1280×853', 'webp-1mp.webp', 1280, 853, WEBP),
    Case('GIF 600×600', 'gif-600.gif', 600, 600, GIF),
    Case('JPEG 300×300', 'jpeg-300.jpg', 300, 300, JPEG),
)
BY_NAME = {case.name: case for case in CASES}


def turned(jpeg, orientation=6):
    """The JPEG with an EXIF segment that says how it lies, and nothing else."""
    entry = struct.pack('<HHHIHHI', 1, 0x0112, 3, 1, orientation, 0, 0)
    exif = b'Exif\0\0II*\0' + struct.pack('<I', 8) + entry
    return jpeg[:2] + b'\xff\xe1' + struct.pack('>H', len(exif) + 2) + exif + jpeg[2:]


def encode(build, case, seed):
    photo = subprocess.Popen([pathlib.Path(build) / 'tests/bench/make-photo', str(case.width), str(case.height),
                              str(seed)], stdout=subprocess.PIPE)
    encoded = subprocess.run(case.encoder, stdin=photo.stdout, stdout=subprocess.PIPE, check=True).stdout
    photo.stdout.close()
    if photo.wait():
        raise RuntimeError('make-photo failed')
    return turned(encoded) if 'turned' in case.name else encoded


def write(path, data):
    """Never half a picture under the name, should this be interrupted."""
    path.with_suffix('.new').write_bytes(data)
    path.with_suffix('.new').rename(path)


def make(build, case, folder=FOLDER, seed=1):
    """Path of a case's picture, which is made unless it is there."""
    path = pathlib.Path(folder) / f'{seed}' / case.name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        write(path, encode(build, case, seed))
    return str(path)


def copies(path, n, folder):
    """The same picture as n files of their own: the same file under n names would be decoded once."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    data = pathlib.Path(path).read_bytes()
    out = [folder / f'{number:06}{pathlib.Path(path).suffix}' for number in range(n)]
    for copy in out:
        copy.write_bytes(data)
    return [str(copy) for copy in out]
