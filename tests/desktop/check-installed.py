#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-installed.py SOURCE-ROOT BUILD-ROOT: what is installed fits together, and others accept it."""
import configparser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / 'tests/lint'))
from tap import Tap

NAMES = 'org.freedesktop.thumbnails.'


def key_file(path):
    keys = configparser.RawConfigParser(delimiters='=', strict=True)
    keys.optionxform = str
    keys.read_string(path.read_text(encoding='utf-8'))
    return keys


def run(*command, **variables):
    env = dict(os.environ, LC_ALL='C.UTF-8', **variables)
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, env=env)


class Tree:
    """An installation below a folder that stands for /."""

    def __init__(self, build, folder):
        self.folder = pathlib.Path(folder)
        self.install = run('meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir', folder)
        self.files = [path for path in self.folder.rglob('*') if not path.is_dir()]

    def named(self, pattern):
        return [path for path in self.files if path.match(pattern)]

    def at(self, path):
        """Where a file of the installed system lies for now."""
        return self.folder / path.lstrip('/')

    def is_program(self, path):
        return os.path.isabs(path) and os.access(self.at(path), os.X_OK)


def activation_findings(tree):
    findings, names = [], {}
    for path in tree.named('*/' + NAMES + '*.service') + tree.named('*/org.xfce.Tumbler.*.service'):
        keys = key_file(path)['D-BUS Service']
        names.setdefault(path.parent, []).append(keys['Name'])
        if not tree.is_program(keys['Exec']):
            findings.append(f"{path}: no program {keys['Exec']}")
        if 'SystemdService' in keys and not tree.named('*/systemd/user/' + keys['SystemdService']):
            findings.append(f"{path}: no unit {keys['SystemdService']}")
        if path.name.rpartition('.service')[0].rpartition('.')[2] != keys['Name'].rpartition('.')[2]:
            findings.append(f"{path}: is for {keys['Name']}")
    if not names:
        findings.append('no activation files')
    return findings + [f'{folder}: a name twice' for folder, found in names.items() if len(found) != len(set(found))]


def thumbnailer_findings(tree):
    findings = []
    entries = tree.named('share/thumbnailers/thimble.thumbnailer')
    for path in entries:
        entry = key_file(path)['Thumbnailer Entry']
        types = entry['MimeType'].split(';')
        words = entry['Exec'].split()
        if set(entry) != {'TryExec', 'Exec', 'MimeType'} or words[0] != entry['TryExec']:
            findings.append(f'{path}: {dict(entry)}')
        # Every caller has these three; %m shifts the arguments in some.
        if sorted(word for word in words if '%' in word) != ['%o', '%s', '%u']:
            findings.append(f'{path}: {words}')
        if types.pop() != '' or types != sorted(set(types)) or not types:
            findings.append(f'{path}: not a sorted list that ends in a semicolon: {types}')
        findings += [f'{path}: {name}' for name in types if not re.fullmatch(r'[a-z]+/[a-z0-9][a-z0-9.+-]*', name)]
        if not tree.named('bin/' + words[0]):
            findings.append(f'{path}: no program {words[0]}')
    return findings if entries else ['no entry']


def links_findings(tree):
    """What thimblectl enable links to is there, for each name that an activation file has."""
    data = {path.name for path in tree.named('share/thimble/*') if path.exists()}
    wanted = {'thimble.thumbnailer'} | {path.name for path in tree.named('dbus-1/services/' + NAMES + '*')}
    return [f'share/thimble has no {name}' for name in sorted(wanted - data)]


def unit_findings(tree, work):
    """Where systemd looks for the program it is not, so that the path is changed in a copy."""
    findings = []
    for path in tree.named('systemd/user/*.service'):
        program = key_file(path)['Service']['ExecStart']
        if not tree.is_program(program):
            findings.append(f'{path}: no program {program}')
        copy = pathlib.Path(work, path.name)
        copy.write_text(path.read_text().replace(program, str(tree.at(program))))
        verdict = run('systemd-analyze', '--user', '--man=no', 'verify', copy, XDG_RUNTIME_DIR=work)
        if verdict.returncode or path.name in verdict.stderr:
            findings.append(verdict.stderr or f'status {verdict.returncode}')
    return findings


def by_program(tap, title, program, findings):
    if shutil.which(program):
        tap.report(title, findings())
    else:
        tap.skip(title, f'not installed: {program}')


def verdicts(paths, *command):
    """What the command has to say of each file."""
    runs = [run(*command, path) for path in paths]
    return [each.stdout + each.stderr for each in runs if each.returncode or each.stderr] or \
        ([] if runs else ['nothing to check'])


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='thimble-installed-') as work:
        tree = Tree(sys.argv[2], os.path.join(work, 'root'))
        tap.report('it is installed', [] if tree.install.returncode == 0 else [tree.install.stderr])
        tap.report('activation files name what is there', activation_findings(tree))
        tap.report('the .thumbnailer entry is what all callers understand', thumbnailer_findings(tree))
        tap.report('what thimblectl enable links to is there', links_findings(tree))
        by_program(tap, 'systemd accepts the unit', 'systemd-analyze', lambda: unit_findings(tree, work))
        by_program(tap, 'AppStream accepts the metainfo', 'appstreamcli',
                   lambda: verdicts(tree.named('*.metainfo.xml'), 'appstreamcli', 'validate', '--no-net'))
        by_program(tap, 'groff accepts the man pages', 'man',
                   lambda: verdicts(tree.named('man/*/*'), 'man', '--warnings', '--local-file', '--pager=cat'))
    tap.done()


if __name__ == '__main__':
    main()
