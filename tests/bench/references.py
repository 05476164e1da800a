# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a thumbnail is compared with: a full decode, scaled to the same size by ImageMagick's Lanczos."""
import hashlib
import os
import subprocess

import harness

FOLDER = os.path.join(harness.KEPT, 'references')


def oriented_size(file):
    text = subprocess.run(['identify', '-format', '%w %h %[orientation]\n', file + '[0]'], capture_output=True,
                          text=True, check=True).stdout.splitlines()[0].split()
    width, height = int(text[0]), int(text[1])
    swapped = len(text) > 2 and text[2] in ('LeftTop', 'RightTop', 'RightBottom', 'LeftBottom')
    return (height, width) if swapped else (width, height)


def make(file, folder):
    """All four sizes from one decode. Returns flavor → path."""
    stat = os.stat(file)
    key = hashlib.md5(f'{file} {stat.st_size} {stat.st_mtime_ns}'.encode()).hexdigest()
    paths = {flavor: os.path.join(folder, f'{key}-{flavor}.png') for flavor in harness.FLAVORS}
    if all(os.path.exists(path) for path in paths.values()):
        return paths
    width, height = oriented_size(file)
    command = ['convert', file + '[0]', '-auto-orient', '-strip', '-colorspace', 'sRGB', '-filter', 'Lanczos']
    for flavor, box in harness.FLAVORS.items():
        size = '{}x{}!'.format(*harness.fit(width, height, box))
        command += ['(', '+clone', '-resize', size, '-depth', '8', '-write', paths[flavor] + '.new.png',
                    '+delete', ')']
    subprocess.run(command + ['null:'], check=True, stderr=subprocess.DEVNULL,
                   env=dict(os.environ, MAGICK_THREAD_LIMIT='1'))
    for path in paths.values():
        os.rename(path + '.new.png', path)
    return paths
