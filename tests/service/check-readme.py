#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-readme.py SOURCE-ROOT BUILD-ROOT: the README's D-Bus example does what the README says."""
import os
import pathlib
import re
import sys
import time

root = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(root / 'tests/bench'), str(root / 'tests/lint')]
import harness
from tap import Tap

FOLDER = '/tmp/thimble-pictures'


def main():
    tap = Tap()
    blocks = re.findall(r'^```sh\n(.*?)^```', (root / 'README.md').read_text(encoding='utf-8'), re.DOTALL | re.MULTILINE)
    make = [line for block in blocks for line in block.splitlines() if 'make-pictures.py' in line]
    call = [block for block in blocks if block.startswith('gdbus call')]
    with harness.Desktop(sys.argv[2]) as desktop:
        pictures = os.path.join(desktop.root, 'pictures')
        made = desktop.run('sh', '-c', ''.join(make).replace(FOLDER, pictures), cwd=root)
        tap.report('the pictures are made', [] if made.returncode == 0 and make else [made.stderr])
        with harness.Service(desktop, desktop.thimbled()) as service:
            called = desktop.run('sh', '-c', ''.join(call).replace(FOLDER, pictures))
            tap.report('gdbus call prints a handle',
                       [] if re.match(r'\(uint32 1,\)', called.stdout) else [called.stdout + called.stderr])
            thumbnail = harness.thumbnail_of(desktop.cache, os.path.join(pictures, 'dusk.png'), 'large')
            deadline = time.monotonic() + 30
            while not os.path.exists(thumbnail) and time.monotonic() < deadline:
                time.sleep(0.05)
            tap.report('the thumbnail is there', [] if os.path.exists(thumbnail) else [service.said()])
    tap.done()


if __name__ == '__main__':
    main()
