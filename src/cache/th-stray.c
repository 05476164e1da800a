/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-stray.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cache/th-atomic.h"

#define HEX          "0123456789abcdef"
#define DIGITS       "0123456789"
#define ALNUM        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define SUFFIX       ".png"
#define MD5_DIGITS   32
#define MAX_SECONDS  12 /* digits */
#define RANDOM_BYTES 6

#define HOUR 3600

static gboolean
ends_in (const char *name, const char *set, gsize min, gsize max, const char *end)
{
  gsize length = strspn (name, set);

  return length >= min && length <= max && strcmp (name + length, end) == 0;
}

/* After the digits: "-1700000000.png" of tumbler, ".png.Ab12Cd" of GLib and all that save by it. */
static ThStray
kind_of_rest (const char *rest)
{
  if (strcmp (rest, SUFFIX) == 0)
    return TH_STRAY_ENTRY;
  if (rest[0] == '-' && ends_in (rest + 1, DIGITS, 1, MAX_SECONDS, SUFFIX))
    return TH_STRAY_OTHER;
  if (g_str_has_prefix (rest, SUFFIX ".")
      && ends_in (rest + sizeof SUFFIX, ALNUM, RANDOM_BYTES, RANDOM_BYTES, ""))
    return TH_STRAY_OTHER;
  return TH_STRAY_NONE;
}

ThStray
th_stray_kind (const char *name)
{
  static const char stream[] = ".goutputstream-";

  if (th_atomic_is_temporary (name))
    return TH_STRAY_OWN;
  if (g_str_has_prefix (name, stream)
      && ends_in (name + sizeof stream - 1, ALNUM, RANDOM_BYTES, RANDOM_BYTES, ""))
    return TH_STRAY_OTHER;
  return strspn (name, HEX) == MD5_DIGITS ? kind_of_rest (name + MD5_DIGITS) : TH_STRAY_NONE;
}

/* A lease for writing is granted only where nobody else has the file open. Whoever opens it at this
 * very moment waits until it is given back, which the kernel would tell by SIGIO, that is death. */
static gboolean
is_open_elsewhere (int folder, const char *name)
{
  int fd = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOATIME);
  gboolean open;

  if (fd < 0)
    return TRUE;
  open = fcntl (fd, F_SETSIG, SIGURG) != 0
         || (fcntl (fd, F_SETLEASE, F_WRLCK) != 0 && errno == EAGAIN);
  close (fd);
  return open;
}

gboolean
th_stray_is_abandoned (ThStray kind, int folder, const char *name, const struct stat *st,
                       gint64 now)
{
  gint64 hours = kind == TH_STRAY_OWN ? 1 : 24;
  gint64 touched = MAX (st->st_mtim.tv_sec, st->st_ctim.tv_sec);

  return touched < now - hours * HOUR && !is_open_elsewhere (folder, name);
}
