# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the benchmarks and the acceptance checks share: a bus of one's own, a service on it, its cost."""
import ctypes
import hashlib
import math
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.parse

FLAVORS = {'normal': 128, 'large': 256, 'x-large': 512, 'xx-large': 1024}
PICTURES = {'.jpg', '.jpeg', '.png', '.webp', '.gif'}
PR_SET_CHILD_SUBREAPER = 36
# What takes long to make and is the same in each run.
KEPT = os.path.join(os.environ.get('XDG_CACHE_HOME', os.path.expanduser('~/.cache')), 'thimble-bench')

BUS_CONFIG = '''<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>
<auth>EXTERNAL</auth><policy context="default"><allow eavesdrop="true"/><allow send_destination="*" eavesdrop="true"/>
<allow own="*"/></policy></busconfig>'''


def tumblerd():
    """Path of Debian's tumblerd, or None."""
    found = sorted(pathlib.Path('/usr/lib').glob('*/tumbler-1/tumblerd'))
    return str(found[0]) if found else None


def pictures(folder):
    return sorted(str(path) for path in pathlib.Path(folder).resolve().rglob('*')
                  if path.suffix.lower() in PICTURES and path.is_file())


def uri_of(path):
    """As GLib escapes a path, which names the thumbnail."""
    return 'file://' + urllib.parse.quote(os.fsencode(path), safe="/!$&'()*+,-.:=@_~")


def thumbnail_of(cache, path, flavor):
    digest = hashlib.md5(uri_of(path).encode()).hexdigest()
    return os.path.join(cache, 'thumbnails', flavor, digest + '.png')


def percentile(values, share):
    """The least value that so large a share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def versus(theirs, ours, swap=False):
    """Medians of pairs and the median of their ratios; swap where more is better and ours come first."""
    ratio = statistics.median(a / b for a, b in zip(theirs, ours))
    shown = (ours, theirs) if swap else (theirs, ours)
    return '{} / {} ({:.1f})'.format(*(three_digits(statistics.median(column)) for column in shown), ratio)


def three_digits(value):
    return f'{value:.0f}' if value >= 100 else f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def fit(width, height, box):
    """th_fit: the other side rounded half to even, of strips a share of the box, never 0, never enlarged."""
    if max(width, height) <= box:
        return width, height
    least = max(1, min(box // 32, width, height))
    if width >= height:
        return box, max(least, round(height * box / width))
    return max(least, round(width * box / height)), box


class Desktop:
    """A private bus with private XDG folders; nothing of the user's is read or written."""

    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.root = tempfile.mkdtemp(prefix='thimble-bench-')
        self.home = os.path.join(self.root, 'home')
        self.cache = os.path.join(self.home, '.cache')
        for folder in (self.home, os.path.join(self.root, 'run')):
            os.makedirs(folder, mode=0o700)
        # Workers whose service died come to us, and their CPU time with them.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        config = os.path.join(self.root, 'bus.conf')
        pathlib.Path(config).write_text(BUS_CONFIG)
        self.daemon = subprocess.Popen(['dbus-daemon', '--nofork', '--print-address', '--config-file', config],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.env = {'PATH': os.environ['PATH'], 'LANG': 'C.UTF-8', 'HOME': self.home,
                    'XDG_CACHE_HOME': self.cache, 'XDG_RUNTIME_DIR': os.path.join(self.root, 'run'),
                    'DBUS_SESSION_BUS_ADDRESS': self.daemon.stdout.readline().strip()}
        # Sanitizer options reach the programs under test.
        self.env.update({name: value for name, value in os.environ.items() if name.endswith('SAN_OPTIONS')})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.daemon.terminate()
        self.daemon.wait()
        self.daemon.stdout.close()
        shutil.rmtree(self.root, ignore_errors=True)

    def fresh_cache(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def program(self, layer, name):
        return str(self.build / 'src' / layer / name)

    def thimbled(self):
        return self.program('service', 'thimbled')

    def run(self, *command, **options):
        return subprocess.run([str(word) for word in command], env=self.env, text=True,
                              capture_output=True, **options)

    def spend(self, *command):
        """Elapsed and CPU milliseconds and peak MiB of one process with all it starts."""
        run = self.run(self.build / 'tests/bench/spend', 1, *command, check=True)
        ms, cpu_ms, peak_kib = run.stdout.split()
        return float(ms), float(cpu_ms), int(peak_kib) / 1024

    def clients(self, n_clients, n_requests, files, flavor, scheduler='foreground'):
        """So many clients at once, each with one file on its way. Returns requests/s, p50 ms, p99 ms."""
        run = subprocess.run([self.build / 'tests/bench/queue-clients', str(n_clients), str(n_requests), flavor,
                              scheduler], env=self.env, input='\n'.join(files), text=True, capture_output=True,
                             check=False)
        if run.returncode:
            raise RuntimeError(run.stderr.strip())
        rate, p50, p99, n_ready, n_errors = (float(word) for word in run.stdout.split())
        if n_errors or n_ready < n_requests:
            raise RuntimeError(f'{n_ready:.0f} ready and {n_errors:.0f} errors of {n_requests}')
        return rate, p50, p99

    def queue(self, files, flavor, scheduler='foreground', quiet=True):
        """One Queue call. Returns milliseconds to Finished, the Ready and the Error lines as lists."""
        env = dict(self.env, **({'QUEUE_URIS_QUIET': '1'} if quiet else {}))
        text = '\n'.join(str(file) for file in files)
        # Names are bytes; those with line ends go on the command line.
        words = ['-'] if '\n'.join(files).count('\n') == len(files) - 1 else files
        run = subprocess.run([self.build / 'tests/bench/queue-uris', flavor, scheduler, *words], env=env,
                             input=os.fsencode(text), capture_output=True, check=False)
        if run.returncode:
            raise RuntimeError(os.fsdecode(run.stderr).strip())
        lines = [line.split('\t') for line in os.fsdecode(run.stdout).splitlines()]
        return Outcome(lines)


class Outcome:
    def __init__(self, lines):
        self.ms = float(lines[-1][1])
        self.n_ready, self.n_errors = int(lines[-1][2]), int(lines[-1][3])
        self.events = [line for line in lines if line[0] in ('ready', 'error')]

    def errors(self):
        return [': '.join(line[2:]) for line in self.events if line[0] == 'error']


class Service:
    """A thumbnailer on the bus of a Desktop, from its start to its end."""

    def __init__(self, desktop, program, wrapper=(), **knobs):
        """wrapper: a command that runs the program in its own place; knobs: more of the environment."""
        self.desktop = desktop
        self.cpu = None
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([*wrapper, program], env={**desktop.env, **knobs}, stdout=self.log, stderr=self.log,
                                        stdin=subprocess.DEVNULL)
        wait = desktop.run('gdbus', 'wait', '--session', '--timeout', '20',
                           'org.freedesktop.thumbnails.Thumbnailer1')
        if wait.returncode:
            self.stop()
            raise RuntimeError(f'{program} did not come up: {self.said()}')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def said(self):
        self.log.seek(0)
        return os.fsdecode(self.log.read())

    def alive(self):
        return self.process.returncode is None and os.path.exists(f'/proc/{self.process.pid}/exe')

    def stop(self):
        """Ends it; cpu is then the seconds that it and all its children took."""
        if self.process.returncode is not None:
            return
        before = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        if self.process.returncode is not None:
            raise RuntimeError(f'the service had ended by itself: {self.said()}')
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.stop_seconds = time.monotonic() - before
        self.cpu = usage.ru_utime + usage.ru_stime + reap_orphans()


def reap_orphans():
    """CPU seconds of workers that outlived their service."""
    seconds = 0.0
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        orphans = [pid for pid in children(os.getpid()) if command_of(pid).startswith('thimble-w')]
        if not orphans:
            break
        for pid in orphans:
            reaped, _, usage = os.wait4(pid, os.WNOHANG)
            if reaped:
                seconds += usage.ru_utime + usage.ru_stime
        time.sleep(0.005)
    return seconds


def children(pid):
    found = []
    for path in pathlib.Path(f'/proc/{pid}/task').glob('*/children'):
        try:
            found += [int(word) for word in path.read_text().split()]
        except OSError:
            pass
    return found


def command_of(pid):
    try:
        return pathlib.Path(f'/proc/{pid}/comm').read_text().strip()
    except OSError:
        return ''


def family(pid):
    found = [pid]
    for member in found:
        found += children(member)
    return found


def cpu_seconds(pid):
    """Of a process that runs, without its children: its own clock, for /proc counts in hundredths."""
    return time.clock_gettime(~pid << 3 | 2)


def pss_kib(pid):
    try:
        with open(f'/proc/{pid}/smaps_rollup', encoding='ascii') as file:
            return next(int(line.split()[1]) for line in file if line.startswith('Pss:'))
    except (OSError, StopIteration):
        return 0


class Sampler:
    """Peak of the summed PSS of a process and all below it, looked at every few milliseconds."""

    def __init__(self, pid, interval=0.005):
        self.peak_kib = 0
        self.most_workers = 0
        self.samples = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look, args=(pid, interval))

    def look(self, pid, interval):
        while not self.over.wait(interval):
            members = family(pid)
            self.peak_kib = max(self.peak_kib, sum(pss_kib(member) for member in members))
            self.most_workers = max(self.most_workers, sum(command_of(member) == 'thimble-worker'
                                                           for member in members))
            self.samples += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
