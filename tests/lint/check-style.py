#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-style.py ROOT: the style rules that a program can check, one TAP line each.

Then one line more for each rule, which shows that it finds a planted fault. Relies on the shape that
clang-format gives: a function body begins with a line "{" and ends with a line "}".
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Tap

MAX_LINE = 100
MAX_FUNCTION = 60
MAX_FILE = 500
MAX_NESTING = 3
BANNED = ('alloca', 'atof', 'atoi', 'atol', 'atoll', 'g_alloca', 'g_error', 'g_newa', 'gets', 'mktemp',
          'popen', 'sprintf', 'stpcpy', 'strcat', 'strcpy', 'strncat', 'strncpy', 'strtok', 'system',
          'tmpnam', 'vsprintf')
SPDX = '/* SPDX-License-Identifier: LGPL-2.1-or-later */'


class Source:
    """One file: its path from the root, its lines, and the same without comments and strings."""

    def __init__(self, path, text):
        self.path = pathlib.PurePath(path)
        self.lines = text.splitlines()
        self.code = blank(text).splitlines()

    def functions(self):
        """(name, first line, last line) of each body, both braces included; lines count from 0."""
        start = None
        for number, line in enumerate(self.code):
            if line == '{' and not re.search(r'\b(struct|union|enum)\b[^(]*$', self.code[number - 1]):
                start = number
            elif line.startswith('}') and start is not None:
                if line.rstrip() == '}':
                    yield self.name_above(start), start, number
                start = None

    def name_above(self, start):
        for line in reversed(self.code[:start]):
            match = re.match(r'([A-Za-z_]\w*) \(', line)
            if match:
                return match[1]
            if not line.strip():
                break
        return '?'

    def at(self, number, what):
        return f'{self.path}:{number + 1}: {what}'


def blank(text):
    """The same text with comments and the insides of literals as spaces; line ends stay."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
    return pattern.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), text)


def line_length(source):
    return [source.at(n, f'{len(line)} columns') for n, line in enumerate(source.lines)
            if len(line) > MAX_LINE]


def file_length(source):
    size = len(source.lines)
    return [source.at(0, f'{size} lines')] if size > MAX_FILE else []


def function_length(source):
    return [source.at(first, f'{name} has {last - first + 1} lines')
            for name, first, last in source.functions() if last - first + 1 > MAX_FUNCTION]


def nesting(source):
    found = []
    for name, first, last in source.functions():
        depth = 0
        for number in range(first + 1, last):
            line = source.code[number].strip()
            depth += line == '{'
            depth -= line.startswith('}') and not line.startswith('},') and line != '};'
            if line == '{' and depth > MAX_NESTING:
                found.append(source.at(number, f'{name} nests {depth} deep'))
    return found


def matches(source, pattern, what):
    return [source.at(n, what.format(match[1])) for n, line in enumerate(source.code)
            for match in re.finditer(pattern, line)]


def banned_calls(source):
    return matches(source, r'(?<![\w.>])(' + '|'.join(BANNED) + r') ?\(', 'calls {}')


def no_goto(source):
    return matches(source, r'\b(goto)\b', 'goto')


def no_leaking_isolation(source):
    """GLib 2.74 leaks what this option allocates, which LeakSanitizer reports; set the XDG variables instead."""
    return matches(source, r'\b(G_TEST_OPTION_ISOLATE_DIRS)\b', '{}')


def licence_line(source):
    return [] if source.lines[:1] == [SPDX] else [source.at(0, 'first line is not the SPDX line')]


def pragma_once(source):
    if source.path.suffix != '.h' or '#pragma once' in source.lines:
        return []
    return [source.at(0, 'no #pragma once')]


def include_order(source):
    """config.h first, then the file's own header where it has one (a sibling of the same name)."""
    if source.path.suffix != '.c':
        return []
    includes = [(n, line) for n, line in enumerate(source.lines) if line.startswith('#include')]
    if not includes:
        return [source.at(0, 'no #include "config.h"')]
    if includes[0][1] != '#include "config.h"':
        return [source.at(includes[0][0], 'first include is not config.h')]
    own = f'/{source.path.stem}.h"'
    found = [index for index, (_, line) in enumerate(includes) if line.endswith(own)]
    return [source.at(includes[found[0]][0], 'own header is not the second include')] \
        if found and found[0] != 1 else []


def no_conditional_code(source):
    return [source.at(number, 'preprocessor in a function body')
            for _, first, last in source.functions() for number in range(first, last)
            if re.match(r'\s*#\s*(if|ifdef|ifndef|else|elif|endif)\b', source.code[number])]


def setjmp_guarded(source):
    if source.path.parts[0] != 'src':
        return []
    inside = {number for name, first, last in source.functions() for number in range(first, last)
              if name == 'guarded' and source.path.parts[:3] == ('src', 'core', 'codecs')}
    return [source.at(n, 'setjmp outside guarded () of a codec') for n, line in enumerate(source.code)
            if re.search(r'\b(sig)?setjmp \(', line) and n not in inside]


def no_leftovers(source):
    return [source.at(n, 'a note to finish something') for n, line in enumerate(source.lines)
            if re.search(r'\b(TODO|FIXME|XXX|HACK)\b', line)]


def no_globals(source):
    """Rule 8: file-scope and function statics only where const, but for tables that GLib takes as not const."""
    inside = {number for _, first, last in source.functions() for number in range(first, last)}
    pattern = re.compile(r'\s*static (?!const\b|GSourceFuncs\b|inline\b|_Thread_local\b)[^(={]*[\w\]](\s*=.*|;)$')
    return [source.at(n, 'a static that is not const') for n, line in enumerate(source.code)
            if source.path.parts[0] == 'src' and pattern.match(line)
            and (n in inside or not line.startswith(' ')) and ' const ' not in line.split('=')[0]]


def calls_evaluated_twice(source):
    """GLib's macros evaluate what they return once more: a read would be done twice, a clock differ."""
    code = '\n'.join(source.code)
    found = []
    for match in re.finditer(r'\b(MIN|MAX|CLAMP|ABS) \(', code):
        depth, end = 1, match.end()
        while depth and end < len(code):
            depth += (code[end] == '(') - (code[end] == ')')
            end += 1
        called = set(re.findall(r'\b([a-z_]\w*) \(', code[match.end():end])) - {'sizeof'}
        found += [source.at(code.count('\n', 0, match.start()), f'{match[1]} may call {name} twice')
                  for name in sorted(called)]
    return found


RULES = {
    'lines of at most 100 columns': line_length,
    'files of at most 500 lines': file_length,
    'functions of at most 60 lines': function_length,
    'nesting of at most 3 blocks': nesting,
    'no banned call': banned_calls,
    'no goto': no_goto,
    'no option of GLib that leaks': no_leaking_isolation,
    'no call in MIN, MAX, CLAMP, ABS': calls_evaluated_twice,
    'the SPDX line comes first': licence_line,
    '#pragma once in headers': pragma_once,
    'config.h, then the own header': include_order,
    'no preprocessor inside functions': no_conditional_code,
    'setjmp only in a codec\'s guarded ()': setjmp_guarded,
    'no note to finish something': no_leftovers,
    'no writable statics': no_globals,
}

GOOD = SPDX + '\n#include "config.h"\n\n#include "core/sample.h"\n\nint\nsample (void)\n{\n%s}\n'
NESTED = '  if (a)\n    {\n      if (b)\n        {\n          if (c)\n            {\n' \
         '              if (d)\n                {\n                }\n            }\n        }\n    }\n'
PLANTED = {
    line_length: ('sample.c', GOOD % ('  /* ' + 'x' * 100 + ' */\n')),
    file_length: ('sample.c', GOOD % ('\n' * 500)),
    function_length: ('sample.c', GOOD % ('  a ();\n' * 60)),
    nesting: ('sample.c', GOOD % NESTED),
    banned_calls: ('sample.c', GOOD % '  strcpy (a, b);\n'),
    no_goto: ('sample.c', GOOD % '  goto out;\n'),
    no_leaking_isolation: ('sample.c', GOOD % '  a (G_TEST_OPTION_ISOLATE_DIRS);\n'),
    calls_evaluated_twice: ('sample.c', GOOD % '  a = MAX (0,\n           b (c));\n'),
    licence_line: ('sample.c', '#include "config.h"\n'),
    pragma_once: ('sample.h', SPDX + '\n'),
    include_order: ('sample.c', SPDX + '\n#include "config.h"\n#include <glib.h>\n#include "core/sample.h"\n'),
    no_conditional_code: ('sample.c', GOOD % '#ifdef A\n  a ();\n#endif\n'),
    setjmp_guarded: ('codecs/sample.c', GOOD % '  if (setjmp (a) == 0)\n    b ();\n'),
    no_leftovers: ('sample.c', GOOD % ('  /* TO' + 'DO: the rest */\n')),
    no_globals: ('sample.c', GOOD % '  static int calls = 0;\n'),
}


def clang_format():
    """Version 14, whose output the tree has; another one formats otherwise. None where it is missing."""
    for name in ('clang-format-14', 'clang-format'):
        path = shutil.which(name)
        if path and ' 14.' in subprocess.run([path, '--version'], capture_output=True, text=True).stdout:
            return path
    return None


def format_findings(program, root, files):
    run = subprocess.run([program, '--dry-run', '-Werror', *map(str, files)], cwd=root,
                         capture_output=True, text=True)
    return run.stderr.splitlines()[:60] if run.returncode else []


def check_format(tap, root, files):
    program = clang_format()
    if program is None:
        tap.skip('clang-format', 'no clang-format 14')
        tap.skip('finds a fault: clang-format', 'no clang-format 14')
        return
    tap.report('clang-format', format_findings(program, root, files))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(root / '.clang-format', folder)
        bad = pathlib.Path(folder, 'bad.c')
        bad.write_text('int f(void) { return 0; }\n')
        found = format_findings(program, folder, [bad])
    tap.report('finds a fault: clang-format', [] if found else ['did not find it'])


def main(root):
    root = pathlib.Path(root)
    files = sorted(path for folder in ('src', 'tests') for suffix in ('*.c', '*.h')
                   for path in (root / folder).rglob(suffix))
    sources = [Source(path.relative_to(root), path.read_text(encoding='utf-8')) for path in files]
    tap = Tap()
    for title, rule in RULES.items():
        tap.report(title, [finding for source in sources for finding in rule(source)])
    clean = Source('src/core/sample.c', GOOD % '  return 0;\n')
    for title, rule in RULES.items():
        name, text = PLANTED[rule]
        problems = [] if rule(Source('src/core/' + name, text)) else ['did not find it']
        problems += [f'found a fault in clean code: {finding}' for finding in rule(clean)]
        tap.report(f'finds a fault: {title}', problems)
    check_format(tap, root, files)
    lengths = sorted(last - first + 1 for source in sources for _, first, last in source.functions())
    print(f'# {len(sources)} files, {len(lengths)} functions, median {lengths[len(lengths) // 2]} lines')
    tap.done()


if __name__ == '__main__':
    main(sys.argv[1])
