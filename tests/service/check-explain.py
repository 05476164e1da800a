#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-explain.py SOURCE-ROOT BUILD-ROOT: thimblectl explain, and make --retry-failed, as they are called."""
import json
import os
import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(root / 'tests/bench'), str(root / 'tests/lint'), str(root / 'scripts')]
import harness
from tap import Tap

BROKEN = b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR????????????????????'
FILE_KEYS = {'uri', 'path', 'kind', 'size', 'modified', 'type', 'specialists', 'handlers', 'thumbnails', 'failure', 'verdict',
             'trial', 'has_or_gets_thumbnail'}


class Case:
    """A desktop without settings but its own, with one folder of files."""

    def __init__(self, desktop):
        self.desktop = desktop
        desktop.env['XDG_CONFIG_DIRS'] = os.path.join(desktop.root, 'no-settings')
        self.folder = os.path.join(desktop.root, 'pictures')
        desktop.run('python3', root / 'scripts/make-pictures.py', self.folder)
        self.good = os.path.join(self.folder, 'dusk.png')
        self.broken = self.write('broken.png', BROKEN)

    def write(self, name, data):
        path = os.path.join(os.fsencode(self.folder), os.fsencode(name))
        pathlib.Path(os.fsdecode(path)).write_bytes(data)
        return os.fsdecode(path)

    def ctl(self, *words):
        command = [self.desktop.program('ctl', 'thimblectl'), *words]
        return subprocess.run(command, env=self.desktop.env, capture_output=True, check=False)

    def json(self, *words):
        run = self.ctl('explain', '--json', *words)
        return run.returncode, json.loads(run.stdout.decode('utf-8'))

    def settings(self, folder, name, text):
        path = pathlib.Path(self.desktop.home, '.config', folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
        return path


def differences(*pairs):
    return [f'{found!r} is not {wanted!r}' for found, wanted in pairs if found != wanted]


def statuses(case):
    text = case.ctl('explain', case.good)
    both = case.ctl('explain', case.good, case.broken)
    return differences(
        (text.returncode, 0), (b'it gets a thumbnail (large) when a program asks for one\n' in text.stdout, True),
        (both.returncode, 1), (b'it gets none (corrupt): ' in both.stdout, True),
        (case.ctl('explain').returncode, 2), (case.ctl('explain', '-f', 'huge', case.good).returncode, 2),
        (case.ctl('explain', '--nonsense', case.good).returncode, 2), (case.ctl('explain', '--help').returncode, 0),
        (os.path.exists(case.desktop.cache), False))


def keys(case):
    status, told = case.json(case.good, os.path.join(case.folder, 'none.png'))
    good, missing = told['files']
    return differences(
        (status, 1), (set(good), FILE_KEYS), (set(missing), FILE_KEYS - {'size', 'modified'}),
        (good['verdict'], {'flavor': 'large', 'reason': 'make', 'code': None, 'message': None}),
        (good['trial']['status'], 'ok'), (good['trial']['codec'], 'png'), (good['handlers'][0]['name'], 'png'),
        (good['type']['by_data'], 'image/png'), (good['thumbnails'][1]['state'], 'missing'),
        (good['thumbnails'][1]['path'], harness.thumbnail_of(case.desktop.cache, case.good, 'large')),
        (missing['verdict']['reason'], 'missing'), (missing['verdict']['code'], 8), (missing['trial'], None),
        (told['system']['sandbox']['seccomp'], True), (told['system']['cache_writable'], True),
        (told['system']['settings'], None))


def names(case):
    """Bytes that are no UTF-8, line ends, and what a terminal would act on."""
    path = case.write(b'odd\xff\n\x1b[31m"\\.png', pathlib.Path(case.good).read_bytes())
    status, told = case.json('-n', path)
    text = case.ctl('explain', '-n', path).stdout
    return differences((status, 0), (told['files'][0]['path'], case.folder + '/odd\\xff\n\x1b[31m"\\.png'),
                       (told['files'][0]['uri'].endswith('/odd%FF%0A%1B%5B31m%22%5C.png'), True),
                       (told['system']['sandbox'], None), (b'\x1b' in text, False), (text.decode() != '', True))


def rules(case):
    case.settings('tumbler', 'tumbler.rc', f'[PixbufThumbnailer]\nExcludes={case.folder}\n')
    _, tumbler = case.json('-n', case.good)
    conf = case.settings('thimble', 'thimble.conf', '[rules]\nmax-file-mib=x\n')
    run = case.ctl('explain', '-n', '--json', case.good)
    own = json.loads(run.stdout)
    conf.unlink()
    case.settings('tumbler', 'tumbler.rc', '')
    return differences((tumbler['files'][0]['verdict']['reason'], 'excluded'),
                       (tumbler['system']['settings'].endswith('tumbler.rc'), True),
                       (tumbler['files'][0]['verdict']['code'], 0),
                       (own['files'][0]['verdict']['reason'], 'make'), (b'max-file-mib' in run.stderr, True))


def retry(case):
    """The second answer is from memory, unless that is told to go."""
    first = case.ctl('make', '--local', case.broken)
    second = case.ctl('make', '--local', case.broken)
    _, told = case.json(case.broken)
    third = case.ctl('make', '--local', '--retry-failed', case.broken)
    about = told['files'][0]
    return differences((first.returncode, 1), (b'remembered' in first.stderr, False),
                       (second.returncode, 1), (b'remembered' in second.stderr, True),
                       (about['verdict']['reason'], 'remembered'), (about['failure']['state'], 'valid'),
                       (about['failure']['cause'], 'corrupt'), (about['failure']['forbids'], True),
                       (os.path.exists(about['failure']['path']), True), (about['trial']['status'], 'corrupt'),
                       (third.returncode, 1), (b'remembered' in third.stderr, False))


def full_disk(case):
    with open('/dev/full', 'wb') as full:
        run = subprocess.run([case.desktop.program('ctl', 'thimblectl'), 'explain', case.good],
                             env=case.desktop.env, stdout=full, stderr=subprocess.PIPE, check=False)
    return differences((run.returncode, 1), (b'cannot be written' in run.stderr, True))


def main():
    tap = Tap()
    with harness.Desktop(sys.argv[2]) as desktop:
        case = Case(desktop)
        for check in (statuses, keys, names, rules, retry, full_disk):
            tap.report(check.__name__.replace('_', ' '), check(case))
    tap.done()


if __name__ == '__main__':
    main()
