# SPDX-License-Identifier: LGPL-2.1-or-later
"""TAP lines for the lint checks: one a rule, with what was found as diagnostics."""
import sys


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def report(self, title, findings):
        """ok where findings is empty."""
        self.count += 1
        self.failed += bool(findings)
        print(f"{'not ok' if findings else 'ok'} {self.count} - {title}")
        for finding in findings:
            print('#', str(finding).replace('\n', '\n# '))

    def skip(self, title, reason):
        self.count += 1
        print(f'ok {self.count} - {title} # SKIP {reason}')

    def done(self):
        print(f'1..{self.count}')
        sys.exit(1 if self.failed else 0)
