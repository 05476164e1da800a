#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-desktop.py SOURCE-ROOT BUILD-ROOT: real file managers on a private bus and screen, with thimbled.

Pictures of one colour each, so that the screen tells whether they are shown; what was seen stays in
BUILD-ROOT/tests/desktop/*.png. What is not installed is skipped and says so.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(root / 'tests' / part) for part in ('bench', 'lint')]
import harness
import screen
from tap import Tap

THUMBNAILS = 'org.freedesktop.thumbnails.'
RED, GREEN, BLUE, VIOLET = (200, 30, 30), (30, 180, 40), (30, 60, 200), (150, 40, 170)
ORANGE, CYAN = (240, 140, 20), (20, 170, 180)
PICTURES = {'red.png': RED, 'green.png': GREEN, 'blue.png': BLUE, 'violet.png': VIOLET}


class Session(harness.Desktop):
    """A bus, a screen, and a folder with pictures."""

    def __init__(self, build, display):
        super().__init__(build)
        self.screen = display
        self.env.update(DISPLAY=display.name, GDK_BACKEND='x11', NO_AT_BRIDGE='1', GSETTINGS_BACKEND='memory',
                        GIO_USE_VFS='local', GIO_USE_VOLUME_MONITOR='unix')
        self.folder = os.path.join(self.root, 'pictures')
        os.mkdir(self.folder)
        self.said = open(os.path.join(self.root, 'said'), 'w+b')
        for name, colour in PICTURES.items():
            pathlib.Path(self.folder, name).write_bytes(screen.png(colour))

    def start(self, *command):
        return subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=self.said, stderr=self.said)

    def call(self, name, path, method, *arguments):
        return self.run('gdbus', 'call', '--session', '--timeout', '30', '--dest', name, '--object-path', path,
                        '--method', method, *arguments)

    def supported(self):
        answer = self.call(THUMBNAILS + 'Thumbnailer1', '/org/freedesktop/thumbnails/Thumbnailer1',
                           THUMBNAILS + 'Thumbnailer1.GetSupported')
        return set(re.findall(r"'([^']*)'", answer.stdout))

    def thumbnails(self, path):
        return [found for flavor in harness.FLAVORS
                if os.path.exists(found := harness.thumbnail_of(self.cache, path, flavor))]

    def artefact(self, name):
        folder = self.build / 'tests' / 'desktop'
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder / (name + '.png'))

    def explain(self):
        self.said.flush()
        return pathlib.Path(self.said.name).read_text(errors='replace')[-1500:]


class Program:
    """A program of the session, from its start to its end."""

    def __init__(self, session, *command):
        self.process = session.start(*command)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def lacks(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    return f"not installed: {', '.join(missing)}" if missing else None


def missing_thumbnails(session, paths):
    """Those of the files that have none of our making in time."""
    def without():
        return [path for path in paths if not session.thumbnails(path)]
    screen.wait_for(lambda: not without())
    findings = [f'{path}: no thumbnail' for path in without()]
    for path in paths:
        findings += [f'{found}: not made by thimble' for found in session.thumbnails(path)
                     if b'Software\0thimble' not in pathlib.Path(found).read_bytes()]
    return findings + ([session.explain()] if findings else [])


def unseen(session, colours, artefact):
    """Names of the colours that do not come to the screen in time."""
    path = session.artefact(artefact)
    left = dict(colours)

    def look():
        for name in [name for name, colour in left.items() if session.screen.shows(colour, path)]:
            del left[name]
        return not left
    screen.wait_for(look)
    return [f'{name} is not seen in {path}' for name in left]


def others(session):
    """Adds a video and a document where the service has a thumbnailer for them: name → colour."""
    supported = session.supported()
    added = {}
    if 'application/pdf' in supported:
        pathlib.Path(session.folder, 'document.pdf').write_bytes(screen.pdf(ORANGE))
        added['document.pdf'] = ORANGE
    clip = os.path.join(session.folder, 'video.avi')
    if {'video/x-msvideo', 'video/vnd.avi'} & supported and screen.video(clip, CYAN):
        added['video.avi'] = CYAN
    return added


def check_thunar(tap, session):
    added = others(session)
    names = dict(PICTURES, **added)
    with Program(session, 'thunar', session.folder):
        tap.report('Thunar has a folder of pictures thumbnailed',
                   missing_thumbnails(session, [os.path.join(session.folder, name) for name in names]))
        tap.report('and shows all of them', unseen(session, names, 'thunar'))
        for kind, name in (('a document', 'document.pdf'), ('a video', 'video.avi')):
            if name in added:
                tap.report(f'{kind} among them', [])
            else:
                tap.skip(f'{kind} among them', f'no thumbnailer for {kind}')
        # Of a folder that it shows it asks for the new name's thumbnail before it tells of the change.
        findings = rename(session, 'violet.png', 'purple.png')
        tap.report('what it renames there is thumbnailed under its new name, and only there',
                   findings or followed(session, 'purple.png', VIOLET, 'violet.png'))
    elsewhere = os.path.join(session.root, 'elsewhere')
    os.mkdir(elsewhere)
    with Program(session, 'thunar', elsewhere):
        check_cache(tap, session)


def thunar_does(session, method, *arguments, dialog=()):
    """Calls a method of Thunar's, and answers the window that it opens: (title, xdotool words…)."""
    with Program(session, 'gdbus', 'call', '--session', '--dest', 'org.xfce.FileManager', '--object-path',
                 '/org/xfce/FileManager', '--method', 'org.xfce.FileManager.' + method, *arguments,
                 session.screen.name, '') as caller:
        findings = answer_dialog(session, *dialog) if dialog else []
        try:
            caller.process.wait(10)
        except subprocess.TimeoutExpired:
            findings.append(f'Thunar does not answer {method}')
    return findings


def rename(session, old, new):
    return thunar_does(session, 'RenameFile', os.path.join(session.folder, old),
                       dialog=('Rename', ('key', 'ctrl+a'), ('type', new), ('key', 'Return')))


def answer_dialog(session, title, *keys):
    """Types into the window of that title as soon as it is there."""
    found = screen.wait_for(lambda: session.run('xdotool', 'search', '--onlyvisible', '--name', title).stdout.split())
    if not found:
        return [f'no window {title}']
    session.run('xdotool', 'windowfocus', '--sync', found[-1])
    for key in keys:
        session.run('xdotool', *key)
    return []


def followed(session, name, expected, old=None):
    """The file's thumbnail is there, of the colour that the file had when it was made."""
    path = os.path.join(session.folder, name)
    findings = [] if screen.wait_for(lambda: session.thumbnails(path)) else [f'{name}: no thumbnail']
    if old and not screen.wait_for(lambda: not session.thumbnails(os.path.join(session.folder, old))):
        findings.append(f'{old}: the thumbnail is still there')
    for found in session.thumbnails(path):
        pixels = subprocess.run(['convert', found, '-depth', '8', 'rgb:-'], capture_output=True, check=True).stdout
        if tuple(pixels[:3]) != expected:
            findings.append(f'{found} is of {tuple(pixels[:3])}, not {expected}: decoded again')
    return findings + ([session.explain()] if findings else [])


def check_cache(tap, session):
    """The files get other pixels first, which nobody sees who does not decode them again."""
    folder = session.folder
    screen.wait_for(lambda: 'org.xfce.FileManager' in session.run('gdbus', 'introspect', '--session', '--dest',
                    'org.xfce.FileManager', '--object-path', '/org/xfce/FileManager').stdout)
    for name in ('red.png', 'green.png', 'blue.png', 'purple.png'):
        screen.repaint(os.path.join(folder, name), ORANGE)
    findings = thunar_does(session, 'CopyTo', folder, "['red.png']", "['copied.png']")
    tap.report('a copy in Thunar takes its thumbnail along, without a decode',
               findings or followed(session, 'copied.png', RED))
    below = os.path.join(folder, 'below')
    os.mkdir(below)
    findings = thunar_does(session, 'MoveInto', folder, "['green.png']", below)
    tap.report('and so does a move', findings or followed(session, 'below/green.png', GREEN, 'green.png'))
    findings = rename(session, 'blue.png', 'other.png')
    tap.report('and a rename', findings or followed(session, 'other.png', BLUE, 'blue.png'))
    findings = thunar_does(session, 'UnlinkFiles', folder, "['purple.png']", dialog=('Attention', ('key', 'alt+d')))
    gone = os.path.join(folder, 'purple.png')
    screen.wait_for(lambda: not session.thumbnails(gone))
    tap.report('a deletion takes the thumbnail away',
               findings + [f'{path} is still there' for path in session.thumbnails(gone)])


def check_ristretto(tap, session):
    """Its bar has room for two, and only for these it asks."""
    shown = dict(list(PICTURES.items())[:2])
    for name in set(PICTURES) - set(shown):
        os.remove(os.path.join(session.folder, name))
    paths = [os.path.join(session.folder, name) for name in shown]
    with Program(session, 'ristretto', session.folder):
        tap.report('Ristretto has a folder of pictures thumbnailed', missing_thumbnails(session, paths))
    for path in paths:
        screen.repaint(path, ORANGE)
    # What it shows large is now orange; the old colours are in the thumbnails alone.
    with Program(session, 'ristretto', paths[0]):
        tap.report('and shows the thumbnails in its bar', unseen(session, shown, 'ristretto'))


def check_pcmanfm(tap, session):
    """It makes its own thumbnails, but looks into the cache first."""
    paths = [os.path.join(session.folder, name) for name in PICTURES]
    for flavor in ('normal', 'large'):
        session.queue(paths, flavor)
    for path in paths:
        screen.repaint(path, ORANGE)
    with Program(session, 'pcmanfm', '--no-desktop', session.folder):
        tap.report('PCManFM shows the thumbnails that thimbled made', unseen(session, PICTURES, 'pcmanfm'))


CHECKS = (
    ('Thunar', check_thunar, ('thunar', 'xdotool')),
    ('Ristretto', check_ristretto, ('ristretto',)),
    ('PCManFM', check_pcmanfm, ('pcmanfm',)),
)


def main():
    tap = Tap()
    for title, check, programs in CHECKS:
        reason = lacks('Xvfb', 'import', 'convert', *programs)
        if reason:
            tap.skip(title, reason)
            continue
        with screen.Screen() as display, Session(sys.argv[2], display) as session, \
                harness.Service(session, session.thimbled()):
            check(tap, session)
    tap.done()


if __name__ == '__main__':
    main()
