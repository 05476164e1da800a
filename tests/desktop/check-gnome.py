#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-gnome.py SOURCE-ROOT BUILD-ROOT: gnome-desktop's thumbnail factory, which Nautilus uses.

Its bubblewrap shows programs below /usr only, so that ours is bound over /usr/local, in a mount namespace of
the test. No other thumbnailer entry is in sight: what is made there is made by thimble-thumbnailer.
"""
import json
import os
import pathlib
import shutil
import sys

root = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(root / 'tests' / part) for part in ('bench', 'lint')]
import harness
import screen
from tap import Tap

GREEN = (30, 180, 40)
# Debian's own Python has the gi module. Prints what FILE's thumbnail is like, or why there is none.
FACTORY = '''
import json, os, sys, gi
gi.require_version('GnomeDesktop', '4.0')
from gi.repository import GnomeDesktop, GLib
path, uri = sys.argv[1:]
mtime = int(os.stat(path).st_mtime)
factory = GnomeDesktop.DesktopThumbnailFactory.new(GnomeDesktop.DesktopThumbnailSize.LARGE)
found = factory.lookup(uri, mtime)
answer = {'lookup': found, 'can': factory.can_thumbnail(uri, 'image/png', mtime)}
if answer['can']:
    try:
        pixbuf = factory.generate_thumbnail(uri, 'image/png', None)
        answer['size'] = [pixbuf.get_width(), pixbuf.get_height()]
        answer['pixel'] = list(pixbuf.get_pixels()[:3])
        factory.save_thumbnail(pixbuf, uri, mtime, None)
        answer['saved'] = factory.lookup(uri, mtime)
    except GLib.Error as error:
        answer['error'] = error.message
print(json.dumps(answer))
'''


def install(desktop):
    """A folder that stands for /usr/local: the program and its entry, nothing else."""
    prefix = pathlib.Path(desktop.root, 'local')
    for folder in ('bin', 'share/thumbnailers'):
        (prefix / folder).mkdir(parents=True)
    # gdk-pixbuf knows no PNG from its content without it.
    (prefix / 'share/mime').symlink_to('/usr/share/mime')
    shutil.copy2(desktop.program('thumbnailer', 'thimble-thumbnailer'), prefix / 'bin')
    shutil.copy2(desktop.build / 'data/thimble.thumbnailer', prefix / 'share/thumbnailers')
    return prefix


def factory(desktop, prefix, path):
    run = desktop.run('bwrap', '--dev-bind', '/', '/', '--bind', prefix, '/usr/local',
                      '--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin', '--setenv', 'XDG_DATA_DIRS', '/usr/local/share',
                      '--setenv', 'GSETTINGS_SCHEMA_DIR', '/usr/share/glib-2.0/schemas', '--setenv', 'GSETTINGS_BACKEND', 'memory',
                      '/usr/bin/python3', '-c', FACTORY, path, harness.uri_of(path))
    try:
        return json.loads(run.stdout)
    except ValueError:
        return {'error': run.stderr[-800:] or f'status {run.returncode}'}


def impossible(desktop):
    """Why the factory cannot be asked here, or None."""
    if not shutil.which('bwrap'):
        return 'not installed: bwrap'
    nested = desktop.run('bwrap', '--dev-bind', '/', '/', 'bwrap', '--ro-bind', '/', '/', '--unshare-all', 'true')
    if nested.returncode:
        return 'bubblewrap does not run in bubblewrap here'
    module = desktop.run('/usr/bin/python3', '-c', "import gi; gi.require_version('GnomeDesktop', '4.0')")
    return 'not installed: python3-gi, gir1.2-gnomedesktop-4.0' if module.returncode else None


def check(tap, desktop):
    prefix = install(desktop)
    picture, other = (os.path.join(desktop.root, name) for name in ('picture one.png', 'other.png'))
    for path in (picture, other):
        pathlib.Path(path).write_bytes(screen.png(GREEN))
    made = factory(desktop, prefix, picture)
    expected = {'lookup': None, 'can': True, 'size': [256, 192], 'pixel': list(GREEN),
                'saved': harness.thumbnail_of(desktop.cache, picture, 'large')}
    tap.report('gnome-desktop makes a thumbnail through our entry', [] if made == expected else [made])
    with harness.Service(desktop, desktop.thimbled()):
        desktop.queue([other], 'large')
    found = factory(desktop, prefix, other).get('lookup')
    tap.report('and finds what thimbled made',
               [] if found == harness.thumbnail_of(desktop.cache, other, 'large') else [found])
    with harness.Service(desktop, desktop.thimbled()):
        desktop.queue([picture], 'large')
    maker = pathlib.Path(harness.thumbnail_of(desktop.cache, picture, 'large')).read_bytes()
    tap.report('thimbled takes what gnome-desktop saved as valid',
               [] if b'GNOME::ThumbnailFactory' in maker else ['it was made again'])


def main():
    tap = Tap()
    with harness.Desktop(sys.argv[2]) as desktop:
        reason = impossible(desktop)
        if reason:
            tap.skip('gnome-desktop', reason)
        else:
            check(tap, desktop)
    tap.done()


if __name__ == '__main__':
    main()
