#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""count-tests.py LOG:STATUS… [--broken WHAT…]: adds up the TAP lines of meson's testlog.json files, and of
plain *.tap files.

Shows what failed, says why others were skipped, and ends with one line that counts. A program that
died before it said so counts as one failure, and so does a meson that failed without a failed test.
"""
import collections
import json
import os
import re
import sys

TAP = re.compile(r'^(not )?ok\b[ \t]*(\d*)[ \t]*-?[ \t]*([^#\n]*?)[ \t]*(?:#[ \t]*(SKIP|TODO)\b[ \t]*(.*))?$',
                 re.IGNORECASE)
BAD = {'FAIL', 'ERROR', 'TIMEOUT', 'INTERRUPT', 'UNEXPECTEDPASS'}


class Count:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = collections.Counter()

    def add_tap(self, name, text):
        """Counts the lines of one program; returns how many there were and how many failed."""
        total = failed = 0
        for line in text.splitlines():
            if re.match(r'^1\.\.0\s*(#.*)?$', line):
                total += 1
                self.skipped[line.partition('#')[2].strip() or 'all of ' + name] += 1
            match = TAP.match(line)
            if not match:
                continue
            total += 1
            bad, _, title, directive, reason = match.groups()
            if directive:
                self.skipped[reason.strip() or directive.lower()] += 1
            elif bad:
                failed += 1
                self.failed.append(f'{name}: {title}')
            else:
                self.passed += 1
        return total, failed

    def add_test(self, test):
        name, result = test['name'], test['result']
        total, failed = self.add_tap(name, test.get('stdout') or '')
        if result == 'SKIP' and not total:
            self.skipped['all of ' + name] += 1
        if result in BAD:
            if not failed:
                self.failed.append(f'{name}: {result.lower()}')
            show(test)


def show(test):
    """The end of what a failed program said."""
    print(f"-- {test['name']}: {test['result'].lower()}")
    for stream in ('stdout', 'stderr'):
        lines = (test.get(stream) or '').splitlines()
        lines = [line for line in lines if not re.match(r'^ok\b', line)]
        print('\n'.join('   ' + line for line in lines[-40:]))


def read(log, status, count):
    known = len(count.failed)
    try:
        with open(log, encoding='utf-8', errors='replace') as file:
            if log.endswith('.tap'):
                count.add_tap(os.path.basename(log), file.read())
                return
            for line in file:
                count.add_test(json.loads(line))
    except (OSError, ValueError):
        status = status or 1
    if status != 0 and len(count.failed) == known:
        count.failed.append(f'meson test ended with status {status}')
        with open(os.path.join(os.path.dirname(log), 'console.txt'), errors='replace') as console:
            print(console.read()[-4000:])


def main(arguments):
    logs, _, broken = ' '.join(arguments).partition('--broken')
    count = Count()
    for entry in logs.split():
        log, _, status = entry.rpartition(':')
        read(log, int(status), count)
    count.failed += [f'{what}: failed' for what in broken.split()]
    for reason, times in count.skipped.most_common():
        print(f'skipped {times}: {reason}')
    for failure in count.failed:
        print(f'FAILED {failure}')
    line = f'{count.passed} passed, {len(count.failed)} failed'
    skipped = sum(count.skipped.values())
    print(line + (f', {skipped} skipped' if skipped else ''))
    return 1 if count.failed or not count.passed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
