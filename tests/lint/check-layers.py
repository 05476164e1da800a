#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-layers.py SOURCE-ROOT BUILD-ROOT GIO-LIBDIR CC…: the layers as the linker sees them.

Includes go downwards only; objects of a layer name no symbol, and programs link no library, that the
layer must not know. Each rule is then tried on a planted fault.
"""
import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import Tap

# Layer → the layers it may include besides itself.
BELOW = {
    'base': set(),
    'core': {'base'},
    'cache': {'base'},
    'wire': {'base'},
    'sandbox': {'base'},
    'worker': {'core', 'wire', 'sandbox', 'base'},
    'reader': {'base', 'cache', 'wire'},
    'volumes': {'base', 'wire'},
    'engine': {'base', 'cache', 'wire', 'sandbox'},
    'service': {'dbus', 'engine', 'cache', 'wire', 'sandbox', 'base'},
    'thumbnailer': {'worker', 'cache', 'wire', 'sandbox', 'base'},
    'ctl': {'dbus', 'engine', 'cache', 'wire', 'sandbox', 'base'},
}
WITH_GIO = {'reader', 'volumes', 'engine', 'service', 'ctl'}
WITH_IMAGES = {'core'}
IMAGE_SYMBOL = re.compile(r'^(png_|jpeg_|jsimd_|tj[A-Z0-9]|WebP|VP8|[DE]?Gif|DGif|gif_|exif_)')
IMAGE_LIBRARY = re.compile(r'^lib(png|jpeg|turbojpeg|webp|gif|exif|tiff|lcms|gdk_pixbuf)')
GIO_LIBRARY = re.compile(r'^lib(gio|gobject|dbus)-')
# Program → its folder; what each may link follows from the layer's row above.
PROGRAMS = {'thimbled': 'service', 'thimblectl': 'ctl', 'thimble-worker': 'worker',
            'thimble-thumbnailer': 'thumbnailer', 'thimble-external': 'sandbox', 'thimble-reader': 'reader',
            'thimble-volumes': 'volumes'}
DECODES = {'worker', 'thumbnailer'}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def wrong_includes(layer, text):
    """What an #include "…" of this layer names above it, or without a layer."""
    found = []
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE):
        if name == 'config.h':
            continue
        target = name.partition('/')[0] if '/' in name else None
        if target != layer and target not in BELOW[layer]:
            found.append(name)
    return found


def undefined(paths):
    """Symbols that these objects take from elsewhere."""
    symbols = set()
    for line in output('nm', '--undefined-only', '--format=posix', *paths).splitlines() if paths else ():
        symbols.add(line.split(' ')[0].split('@')[0])
    return symbols


def exported(library):
    lines = output('nm', '--dynamic', '--defined-only', '--format=posix', library).splitlines()
    return {line.split(' ')[0].split('@')[0] for line in lines}


def wrong_symbols(layer, symbols, gio):
    found = set()
    if layer not in WITH_GIO:
        found |= symbols & gio
    if layer not in WITH_IMAGES:
        found |= {symbol for symbol in symbols if IMAGE_SYMBOL.match(symbol)}
    return sorted(found)


def wrong_libraries(layer, needed):
    found = [name for name in needed if layer not in WITH_GIO and GIO_LIBRARY.match(name)]
    return found + [name for name in needed if layer not in DECODES and IMAGE_LIBRARY.match(name)]


def needed_by(program):
    return re.findall(r'\(NEEDED\).*\[(.+)\]', output('readelf', '--dynamic', '--wide', program))


def check_includes(tap, root):
    for layer in BELOW:
        findings = []
        for path in sorted((root / 'src' / layer).rglob('*.[ch]')):
            findings += [f'{path.relative_to(root)} includes {name}'
                         for name in wrong_includes(layer, path.read_text(encoding='utf-8'))]
        tap.report(f'{layer} includes only what lies below', findings)


def check_objects(tap, root, build, gio):
    for layer in BELOW:
        sources = list((root / 'src' / layer).rglob('*.c'))
        objects = glob.glob(f'{build}/src/{layer}/*.p/*.o')
        if sources and not objects:
            tap.report(f'{layer} takes no symbol it must not know', ['no object found in the build'])
            continue
        tap.report(f'{layer} takes no symbol it must not know', wrong_symbols(layer, undefined(objects), gio))


def check_programs(tap, root, build):
    for program, layer in PROGRAMS.items():
        path = build / 'src' / layer / program
        title = f'{program} links only its own libraries'
        if not list((root / 'src' / layer).glob('*main.c')):
            tap.skip(title, f'no main in src/{layer}')
        elif not path.exists():
            tap.report(title, [f'no {path}'])
        else:
            tap.report(title, wrong_libraries(layer, needed_by(path)))


def planted_object(compiler, folder, name):
    source = pathlib.Path(folder, name + '.c')
    source.write_text(f'extern void {name} (void);\nvoid sample (void);\n'
                      f'void sample (void) {{ {name} (); }}\n')
    subprocess.run([*compiler, '-c', str(source), '-o', str(source) + '.o'], check=True)
    return undefined([str(source) + '.o'])


def check_itself(tap, compiler, gio):
    with tempfile.TemporaryDirectory() as folder:
        cases = (('core', 'g_dbus_connection_call'), ('engine', 'png_create_read_struct'),
                 ('service', 'jpeg_start_decompress'), ('ctl', 'WebPDecode'), ('cache', 'DGifOpen'))
        for layer, name in cases:
            symbols = planted_object(compiler, folder, name)
            tap.report(f'finds a fault: {name} in {layer}',
                       [] if wrong_symbols(layer, symbols, gio) == [name] else ['did not find it'])
    for layer, name in (('base', 'core/th-codec.h'), ('core', 'cache/th-cache.h'),
                        ('engine', 'core/th-codec.h'), ('cache', 'th-cache.h')):
        found = wrong_includes(layer, f'#include "config.h"\n#include "{name}"\n')
        tap.report(f'finds a fault: {name} in {layer}', [] if found == [name] else ['did not find it'])
    for layer, name in (('service', 'libpng16.so.16'), ('thumbnailer', 'libgio-2.0.so.0')):
        found = wrong_libraries(layer, ['libc.so.6', name])
        tap.report(f'finds a fault: {name} in {layer}', [] if found == [name] else ['did not find it'])


def main(root, build, gio_libdir, *compiler):
    root, build = pathlib.Path(root), pathlib.Path(build)
    gio = exported(os.path.join(gio_libdir, 'libgio-2.0.so'))
    tap = Tap()
    check_includes(tap, root)
    check_objects(tap, root, build, gio)
    check_programs(tap, root, build)
    check_itself(tap, compiler, gio)
    tap.done()


if __name__ == '__main__':
    main(*sys.argv[1:])
