#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""thimblectl formats against the manifests of the build tree and an entry of this test's own: TAP."""
import configparser
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ENTRY = '[Thumbnailer Entry]\nExec=/bin/true %i %o\nMimeType=application/x-of-a-test;image/jpeg;\n'


def main():
    build = pathlib.Path(sys.argv[1])
    ctl = build / 'src/ctl/thimblectl'
    checks = []

    def check(name, good):
        checks.append(good)
        print('ok' if good else 'not ok', len(checks), '-', name)

    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home, 'thumbnailers')
        folder.mkdir()
        (folder / 'of-a-test.thumbnailer').write_text(ENTRY)
        env = {**os.environ, 'XDG_DATA_HOME': home, 'XDG_DATA_DIRS': '/usr/share'}
        run = subprocess.run([ctl, 'formats', '--json'], env=env, capture_output=True, text=True)
        text = subprocess.run([ctl, 'formats'], env=env, capture_output=True, text=True)
        wrong = subprocess.run([ctl, 'formats', 'jpeg'], env=env, capture_output=True, text=True)
    formats = {entry['name']: entry for entry in json.loads(run.stdout)}
    said = 0
    for path in sorted((build / 'src/manifests').glob('*.manifest')):
        manifest = configparser.ConfigParser()
        manifest.read(path)
        for section in manifest.sections():
            name = section.split()[1]
            types = [word for word in manifest[section]['MimeTypes'].split(';') if word]
            handler = 'built-in' if path.stem == 'builtin' else 'module'
            said += 1
            check(name, name in formats and formats[name]['handler'] == handler
                  and set(types) <= set(formats[name]['types']) and formats[name]['trouble'] is None)
    check('some', said > 0)
    check('a program', formats.get('true', {}).get('handler') == 'program'
          and 'application/x-of-a-test' in formats['true']['types'] and 'image/jpeg' not in formats['true']['types'])
    check('status', (run.returncode, text.returncode, wrong.returncode) == (0, 0, 2))
    check('text', len(text.stdout.splitlines()) == len(formats) and 'true (program): application/x-of-a-test' in text.stdout)
    print(f'1..{len(checks)}')
    sys.exit(not all(checks))


main()
